package logs

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/output"
)

func printed(t *testing.T, format output.Format, runs bool, lines ...Line) string {
	t.Helper()
	var out bytes.Buffer
	p := &printer{to: &out, format: format, runs: runs}
	for _, l := range lines {
		if err := p.print(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var hostile = Line{Time: at(1234), Run: "r", Source: "member etcd-0", Role: Member, Pod: "p", Container: "etcd", Text: "\x1b[2Jgone \u009b <b>"}

func TestATableHasTimeSourceAndText(t *testing.T) {
	want := hostile.Time.Local().Format("15:04:05.000") + `  member etcd-0  \x1b[2Jgone \u009b <b>` + "\n" +
		at(5).Local().Format("15:04:05.000") + "  observer       next\n"
	if got := printed(t, output.Table, false, hostile, Line{Time: at(5), Source: "observer", Text: "next"}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestATableOfASuiteNamesTheRun(t *testing.T) {
	if got := printed(t, output.Table, true, hostile); !strings.Contains(got, "  r member etcd-0  ") {
		t.Errorf("got %q", got)
	}
}

func TestProgramsReadBackWhatWasWritten(t *testing.T) {
	second := Line{Time: at(2000), Run: "r", Source: "event run", Role: Event, Text: "x"}
	document := printed(t, output.JSON, false, hostile, second)
	if strings.ContainsAny(document, "\x1b\u009b") || !strings.Contains(document, "<b>") {
		t.Errorf("%q", document)
	}
	decoder := json.NewDecoder(strings.NewReader(document))
	for _, want := range []Line{hostile, second} {
		var got Line
		if err := decoder.Decode(&got); err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	var list []Line
	if err := yaml.Unmarshal([]byte(printed(t, output.YAML, false, hostile, second)), &list); err != nil || len(list) != 2 || list[0] != hostile || list[1] != second {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestAnEmptyListIsYAML(t *testing.T) {
	if got := printed(t, output.YAML, false); got != "[]\n" {
		t.Errorf("got %q", got)
	}
	if got := printed(t, output.JSON, false); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestWhatToShowIsNamed(t *testing.T) {
	roles, err := parseWanted([]string{"members", "event"})
	if err != nil || !roles[Member] || !roles[Event] || roles[Worker] || !roles.pods() {
		t.Errorf("%v, %v", roles, err)
	}
	if roles, err := parseWanted([]string{"controller"}); err != nil || roles.pods() {
		t.Errorf("%v, %v", roles, err)
	}
	for _, bad := range [][]string{{"nodes"}, {}, {"members", ""}} {
		if _, err := parseWanted(bad); err == nil || !strings.Contains(err.Error(), "members, workers, observer, controller, events") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestOneSentenceSaysWhyThereIsNothing(t *testing.T) {
	every, _ := parseWanted(words())
	for name, c := range map[string]struct {
		entry inventory.Entry
		over  bool
		pods  pick
		shown int
		want  string
	}{
		"not begun": {inventory.Entry{Kind: inventory.Run, Name: "r", Phase: "Queued", InCluster: true}, false, nil, 0,
			"run/r is Queued, and has no pod with a log of the roles members, workers, observer: --follow waits for one"},
		"not that pod": {inventory.Entry{Kind: inventory.Run, Name: "r", Phase: "Running", InCluster: true}, false, pick{"etcd-9"}, 7,
			"run/r is Running, and has no pod with a log of the name etcd-9: --follow waits for one"},
		"ended": {inventory.Entry{Kind: inventory.Run, Namespace: "n", Name: "r", InCluster: true, Reported: true}, true, nil, 3,
			"is left; what is left of it: the lines above, and its report (kubectl kvbench -n n report run/r)"},
		"ended for ever": {inventory.Entry{Kind: inventory.Run, Name: "r", InCluster: true}, true, nil, 0, "run/r has ended, and no pod with a log of the roles"},
		"nothing at all": {inventory.Entry{Kind: inventory.Run, Name: "r", InCluster: true}, true, nil, 0, "what is left of it: nothing"},
		"deleted": {inventory.Entry{Kind: inventory.Suite, Namespace: "n", Name: "s", Reported: true}, true, nil, 0,
			"suite/s was deleted, and no pod with a log of the roles members, workers, observer is left; what is left of it: its report (kubectl kvbench -n n report suite/s)"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := nothing(&c.entry, c.over, asked{every, c.pods}, c.shown); !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q lacks %q", err, c.want)
			}
		})
	}
	err := nothing(&inventory.Entry{Kind: inventory.Run, Name: "r", InCluster: true}, true, asked{wanted{Member: true}, nil}, 0)
	if want := "of the roles members is left; what is left of it: its events, while the cluster has them (--of events)"; !strings.Contains(err.Error(), want) {
		t.Errorf("%q lacks %q", err, want)
	}
}

func TestPodsAreNamedInFullOrShort(t *testing.T) {
	member := Line{Source: "member etcd-0", Pod: "leader-kill-ab12cd-0"}
	agent := Line{Source: "member etcd-0/agent", Pod: "leader-kill-ab12cd-0"}
	observer := Line{Source: "observer", Pod: "leader-kill-ab12cd-observer-x"}
	ofPod := Line{Source: "event pod etcd-0", Pod: "leader-kill-ab12cd-0"}
	ofRun := Line{Source: "event run"}
	for _, c := range []struct {
		pick pick
		want []Line
	}{
		{nil, []Line{member, agent, observer, ofPod, ofRun}},
		{pick{"etcd-0"}, []Line{member, agent, ofPod}},
		{pick{"leader-kill-ab12cd-0"}, []Line{member, agent, ofPod}},
		{pick{"observer"}, []Line{observer}},
		{pick{"etcd-1", "observer"}, []Line{observer}},
		{pick{"etcd"}, nil},
		{pick{"run"}, nil},
	} {
		var got []Line
		for _, line := range []Line{member, agent, observer, ofPod, ofRun} {
			if c.pick.takes(line) {
				got = append(got, line)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v takes %v, want %v", c.pick, got, c.want)
		}
	}
}

func TestColoursTellSourcesApartAndChangeNoLetter(t *testing.T) {
	lines := []Line{hostile, {Time: at(5), Source: "observer", Text: "a"}, {Time: at(6), Source: "member etcd-0", Text: "b"}}
	var out bytes.Buffer
	p := &printer{to: &out, format: output.Table, colours: &colours{}}
	for _, l := range lines {
		if err := p.print(l); err != nil {
			t.Fatal(err)
		}
	}
	begins := regexp.MustCompile("\x1b\\[[1-9][0-9]*m").FindAllString(out.String(), -1)
	if len(begins) != 3 || begins[0] != begins[2] || begins[0] == begins[1] {
		t.Errorf("colours %q", begins)
	}
	if got := regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(out.String(), ""); got != printed(t, output.Table, false, lines...) {
		t.Errorf("got %q", got)
	}
}

func TestSinceIsATime(t *testing.T) {
	if got := sinceOf(0, at(0)); !got.IsZero() {
		t.Errorf("got %s", got)
	}
	if got := sinceOf(time.Second, at(1000)); !got.Equal(at(0)) {
		t.Errorf("got %s", got)
	}
}
