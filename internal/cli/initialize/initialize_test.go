package initialize

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/exit"
)

// person answers questions one after the other.
type person struct {
	answers []string
	prompts []string
}

func (p *person) ask(prompt string) (string, error) {
	p.prompts = append(p.prompts, prompt)
	if len(p.answers) == 0 {
		return "", io.EOF
	}
	answer := p.answers[0]
	p.answers = p.answers[1:]
	return answer, nil
}

func TestFiveQuestionsHaveDefaults(t *testing.T) {
	p := &person{answers: make([]string, 5)}
	a, err := interview("first", io.Discard, p.ask)
	if err != nil {
		t.Fatal(err)
	}
	want := "store [etcd]: nodes [3]: workload [A]: rate [1000]: fault [LeaderKill]: "
	if got := strings.Join(p.prompts, ""); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if render(a) != render(scripted(t)) {
		t.Errorf("the defaults of questions are others than those of scripts:\n%s", render(a))
	}
}

func TestAQuestionIsAskedUntilItsAnswerMakesARun(t *testing.T) {
	var said bytes.Buffer
	p := &person{answers: []string{"etdc", "memcached", "0", "5", "E", "B", "-1", "closed", "LeaderKill", "MemberPodKill"}}
	a, err := interview("first", &said, p.ask)
	if err != nil {
		t.Fatal(err)
	}
	if render(a) != render(scripted(t, "store=memcached", "nodes=5", "workload=B", "rate=closed", "fault=MemberPodKill")) {
		t.Errorf("got\n%s", render(a))
	}
	for _, want := range []string{"did you mean etcd?", "memcached in its mode sharded has 1 to 9 members", "has no scan", "a whole number from 1", "none leads all others"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is not in\n%s", want, said.String())
		}
	}
}

func TestOnlyWhatIsPossibleIsOffered(t *testing.T) {
	var said bytes.Buffer
	if _, err := interview("first", &said, (&person{answers: []string{"memcached", "", "", "", ""}}).ask); err != nil {
		t.Fatal(err)
	}
	for _, never := range []string{"\n  E ", "LeaderKill", "basic"} {
		if strings.Contains(said.String(), never) {
			t.Errorf("%q is in\n%s", never, said.String())
		}
	}
}

func TestAnInterviewThatEndsWritesNothing(t *testing.T) {
	if _, err := interview("first", io.Discard, (&person{answers: []string{"etcd"}}).ask); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
}

// called does the verb without a terminal, in a folder of its own.
func called(t *testing.T, args ...string) (out, said string, err error) {
	t.Helper()
	return calledWith(t, "", args...)
}

// calledWith does it with a standard input.
func calledWith(t *testing.T, in string, args ...string) (out, said string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := Command(&env.Env{In: strings.NewReader(in), Out: &stdout, Err: &stderr})
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(context.Background())
	return stdout.String(), stderr.String(), err
}

func TestWithoutATerminalAnswersAreNeeded(t *testing.T) {
	t.Chdir(t.TempDir())
	_, _, err := called(t)
	if exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "--answers") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat("first.yaml"); err == nil {
		t.Error("something was written")
	}
}

func TestAFirstRunIsWrittenWithWhatToDoNext(t *testing.T) {
	t.Chdir(t.TempDir())
	out, said, err := called(t, "--answers", "store=redis,rate=500", "--answers", "fault=None")
	if err != nil || out != "" || !strings.Contains(said, "kubectl kvbench run -f first.yaml") {
		t.Fatalf("%q, %q, %v", out, said, err)
	}
	text, err := os.ReadFile("first.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if want := render(scripted(t, "store=redis", "rate=500", "fault=None")); string(text) != want {
		t.Errorf("got\n%s", text)
	}
}

func TestNoAnswersAreAllDefaults(t *testing.T) {
	out, _, err := called(t, "--answers", "", "--filename", "-")
	if err != nil || out != render(scripted(t)) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestAnswersOfAFile(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = "# my store\nstore = redis\n\n  nodes=5\nfault=None\n"
	if err := os.WriteFile("answers", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := render(scripted(t, "store=redis", "nodes=5", "fault=None", "rate=20"))
	for _, from := range []string{"answers,rate=20", "-,rate=20"} {
		if out, _, err := calledWith(t, text, "--answers", from, "--filename", "-"); err != nil || out != want {
			t.Errorf("%s: %v\n%s", from, err, out)
		}
	}
}

func TestAFileOfAnswersThatIsWrongIsNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"large": strings.Repeat("#", maxScriptBytes+1), "yaml": "store: etcd\n", "wrong": "store=etdc\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"missing": "missing is neither key=value, such as store=etcd, nor a file that can be read: no such file",
		"large":   "large has more than 64 KiB",
		"yaml":    `"store: etcd" is no answer: write key=value`,
		"wrong":   "store=etdc: there is no such store: did you mean etcd?",
		".":       "is a directory",
	} {
		if _, _, err := called(t, "--answers", name); exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if _, err := os.Stat("first.yaml"); err == nil {
		t.Error("something was written")
	}
}

func TestAFileIsNotWrittenOverUnlessThatIsAskedFor(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("mine.yaml", []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := called(t, "--answers", "", "--filename", "mine.yaml")
	if exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "mine.yaml is there already: --force") {
		t.Errorf("got %v", err)
	}
	if text, _ := os.ReadFile("mine.yaml"); string(text) != "mine" {
		t.Errorf("it has %q now", text)
	}
	if _, _, err := called(t, "--answers", "", "--filename", "mine.yaml", "--force"); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile("mine.yaml"); !strings.Contains(string(text), "name: mine\n") {
		t.Errorf("it has %q now", text)
	}
}

func TestAFileThatAppearsMeanwhileIsKept(t *testing.T) {
	to := target{file: filepath.Join(t.TempDir(), "a.yaml")}
	if err := to.check(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to.file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := to.write(io.Discard, "ours"); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("got %v", err)
	}
	if text, _ := os.ReadFile(to.file); string(text) != "mine" {
		t.Errorf("it has %q now", text)
	}
}

func TestTheRunHasTheNameOfTheFileIfItCan(t *testing.T) {
	for file, want := range map[string]string{
		"first.yaml": "first", "runs/redis-1.yml": "redis-1", "bench": "bench",
		"-": "first", "My Run.yaml": "first", "a_b.yaml": "first", ".yaml": "first", strings.Repeat("a", 64) + ".yaml": "first",
	} {
		if got := (&target{file: file}).name(); got != want {
			t.Errorf("%s: got %q, want %q", file, got, want)
		}
	}
}

func TestAFolderThatIsMissingIsNamed(t *testing.T) {
	_, _, err := called(t, "--answers", "", "--filename", filepath.Join(t.TempDir(), "none", "a.yaml"))
	if err == nil || !strings.Contains(err.Error(), "name another file with --filename") {
		t.Errorf("got %v", err)
	}
}
