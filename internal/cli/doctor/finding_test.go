package doctor

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kvbench/kvbench/internal/cli/exit"
)

// wantFindings compares findings with lines of the form "severity: a part of what, where, why and how to mend".
func wantFindings(t *testing.T, got []Finding, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("got %d findings, want %d: %+v", len(got), len(want), got)
		return
	}
	for i, f := range got {
		severity, part, _ := strings.Cut(want[i], ": ")
		text := strings.Join([]string{f.What, f.Where, f.Why, f.Mend}, " | ")
		if string(f.Severity) != severity || !strings.Contains(text, part) {
			t.Errorf("finding %d is %s: %s\nwant %s", i, f.Severity, text, want[i])
		}
		if f.Where == "" || f.Severity != OK && (f.Mend == "" || f.Why == "") {
			t.Errorf("finding %d is %s, and doesn't say where it is, why it matters or what to do: %s", i, f.Severity, text)
		}
	}
}

func forbidden() error {
	return apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no"))
}

func notFound() error { return apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, "x") }

func TestACheckWithoutAnAnswerNamesTheRightThatItNeeds(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{forbidden(), "unknown: not known, for it needs the right to list pods in the namespace team-a | namespace team-a"},
		{errors.New("the server\nis away"), "unknown: doesn't tell: the server is away"},
	} {
		wantFindings(t, []Finding{unanswered(c.err, right{verb: "list", resource: "pods", namespace: "team-a"})}, c.want)
	}
	wantFindings(t, []Finding{unanswered(forbidden(), right{verb: "list", resource: "nodes"})}, "unknown: list nodes in the whole cluster | cluster")
	if got := (right{verb: "get", group: "apps", resource: "deployments", name: "x"}).String(); got != "get deployments.apps x in the whole cluster" {
		t.Errorf("got %q", got)
	}
}

func TestTextsOfServersAreBounded(t *testing.T) {
	for text, want := range map[string]string{
		"a\n b":                  "a b",
		strings.Repeat("x", 400): strings.Repeat("x", 400),
		strings.Repeat("x", 401): strings.Repeat("x", 400) + " [...]",
		strings.Repeat("ü", 300): strings.Repeat("ü", 200) + " [...]",
	} {
		if got := bounded(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestATextSaysWhatWhereWhyAndHowToMend(t *testing.T) {
	findings := []Finding{
		{Check: "API server", Severity: OK, Where: "cluster", What: "Kubernetes v1"},
		{Check: "images", Severity: Problem, Where: "namespace team-a", What: "\x1b[2J\tx", Why: "no pod", Mend: "look"},
		{Check: "images", Severity: Problem, Where: "node n", What: "y", Why: "another", Mend: "look"},
		{Check: "nodes", Severity: OK, Where: "cluster", What: "3"},
		{Check: "images", Severity: Problem, Where: "node m", What: "z", Why: "another", Mend: "look"},
	}
	for colours, want := range map[bool]string{
		false: "ok       API server  cluster           Kubernetes v1\n" +
			"problem  images      namespace team-a  \\x1b[2J x\n" +
			"         why:  no pod\n         mend: look\n" +
			"problem  images      node n            y\n         why:  another\n" +
			"ok       nodes       cluster           3\n" +
			"problem  images      node m            z\n         why:  another\n         mend: look\n",
		true: "\x1b[32mok     \x1b[0m  API server  cluster           Kubernetes v1\n" +
			"\x1b[31mproblem\x1b[0m  images      namespace team-a  \\x1b[2J x\n" +
			"         why:  no pod\n         mend: look\n" +
			"\x1b[31mproblem\x1b[0m  images      node n            y\n         why:  another\n" +
			"\x1b[32mok     \x1b[0m  nodes       cluster           3\n" +
			"\x1b[31mproblem\x1b[0m  images      node m            z\n         why:  another\n         mend: look\n",
	} {
		var out bytes.Buffer
		if err := show(&out, findings, colours); err != nil || out.String() != want {
			t.Errorf("%v, got\n%s\nwant\n%s", err, out.String(), want)
		}
	}
}

func TestExitCodes(t *testing.T) {
	fine, warned, asked := Finding{Severity: OK}, Finding{Check: "storage class", Severity: Warning}, Finding{Check: "nodes", Severity: Unknown}
	inside := Finding{Check: "kernel features", Severity: Unknown, untold: true}
	images := Finding{Check: "images", Severity: Problem}
	for name, c := range map[string]struct {
		findings []Finding
		code     int
		want     string
	}{
		"nothing":                     {nil, 0, ""},
		"all is well":                 {[]Finding{fine}, 0, ""},
		"warnings":                    {[]Finding{fine, warned}, 0, ""},
		"what nobody can know":        {[]Finding{fine, warned, inside}, 0, ""},
		"a check that was refused":    {[]Finding{fine, asked, inside}, exit.Unknown, "no problem was found, and not all could be looked at: nodes"},
		"a problem, found twice":      {[]Finding{images, images}, exit.Failed, "there are problems: images"},
		"two problems and an unknown": {[]Finding{images, asked, {Check: "nodes", Severity: Problem}}, exit.Failed, "there are problems: images, nodes"},
	} {
		t.Run(name, func(t *testing.T) {
			err, got := verdict(c.findings), ""
			if err != nil {
				got = err.Error()
			}
			if exit.Code(err) != c.code || got != c.want {
				t.Errorf("got %d, %q; want %d, %q", exit.Code(err), got, c.code, c.want)
			}
		})
	}
}

func TestManyNamesAreCut(t *testing.T) {
	for want, names := range map[string][]string{"a, b": {"a", "b"}, "a, b, c, d, e and 2 more": {"a", "b", "c", "d", "e", "f", "g"}} {
		if got := few(names); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
