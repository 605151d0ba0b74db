package inventory

import (
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/wire"
)

func resource(name, uid string, conditions ...metav1.Condition) Entry {
	return *Of(&v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, UID: types.UID(uid)},
		Status: v1alpha1.BenchmarkRunStatus{Phase: "Complete", Conditions: conditions}})
}

func keptRun(name, uid string, started int64, valid bool) Entry {
	return ofKeptRun(&wire.RunSummary{Namespace: "team", Name: name, UID: uid, StartedAtUnixNanos: started, Reported: true,
		Judgement: &wire.Judgement{Valid: valid, InvalidReasons: []string{"GeneratorLag"}, Verdict: "Failed"}})
}

func TestTheServersWordIsAddedToTheClusters(t *testing.T) {
	entries := merge([]Entry{resource("a", "1")}, []Entry{keptRun("a", "1", 5, false), keptRun("a", "0", 3, true)})
	if len(entries) != 2 {
		t.Fatalf("%d entries", len(entries))
	}
	a := entries[0]
	if a.Phase != "Complete" || !a.InCluster || !a.Reported || a.Valid == nil || *a.Valid || a.Verdict != "Failed" || !a.Started.Equal(time.Unix(0, 5)) {
		t.Errorf("what both have: %+v", a)
	}
	if k := entries[1]; k.Phase != Kept || k.InCluster || !*k.Valid {
		t.Errorf("what is kept alone: %+v", k)
	}
}

func TestWhatBeganLastComesFirst(t *testing.T) {
	entries := []Entry{keptRun("old", "1", 3, true), keptRun("never", "2", 0, true), keptRun("new", "3", 9, true), resource("waits", "4")}
	sortByStart(entries)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	if got := strings.Join(names, " "); got != "waits new old never" {
		t.Error(got)
	}
}

func TestANameIsFound(t *testing.T) {
	suite := Entry{Kind: Suite, Name: "both", UID: "9"}
	all := []Entry{keptRun("twice", "22", 9, true), keptRun("twice", "21", 3, true), keptRun("both", "8", 1, true), suite, resource("first", "1")}
	for _, c := range []struct {
		reference, uid, want, complaint string
	}{
		{"first", "", "1", ""},
		{"run/first", "", "1", ""},
		{"benchmarkrun/first", "", "1", ""},
		{"suite/first", "", "", "no such run or suite"},
		{"twice", "", "22", ""},
		{"twice", "21", "21", ""},
		{"twice", "2", "", "write more of it"},
		{"twice", "3", "", `a UID that begins with "3"; the UIDs of that name: 22, 21`},
		{"run/both", "9", "", `a UID that begins with "9"; the UIDs of that name: 8`},
		{"frist", "3", "", "did you mean first?"},
		{"both", "", "", "write run/both or suite/both"},
		{"suite/both", "", "9", ""},
		{"run/both", "", "8", ""},
		{"frist", "", "", "did you mean first?"},
		{"something-else", "", "", "kubectl kvbench list"},
	} {
		kind, name, err := parse(c.reference)
		if err != nil {
			t.Fatal(err)
		}
		found, err := choose(matching(all, kind, name, c.uid), all, c.reference, c.uid, "team")
		switch {
		case c.complaint != "" && (err == nil || !strings.Contains(err.Error(), c.complaint)):
			t.Errorf("%s %s: %v", c.reference, c.uid, err)
		case c.complaint == "" && (err != nil || found.UID != c.want):
			t.Errorf("%s %s: %+v, %v", c.reference, c.uid, found, err)
		case (strings.HasPrefix(c.complaint, "no such") || strings.HasPrefix(c.complaint, "a UID")) && !errors.Is(err, ErrNotFound):
			t.Errorf("%s: not ErrNotFound", c.reference)
		}
	}
	if _, _, err := parse("pod/first"); err == nil {
		t.Error("a pod is taken for a run")
	}
}

func TestConditionsAreWords(t *testing.T) {
	yes, no := metav1.ConditionTrue, metav1.ConditionFalse
	e := resource("a", "1", metav1.Condition{Type: "Valid", Status: no}, metav1.Condition{Type: "Passed", Status: metav1.ConditionUnknown}, metav1.Condition{Type: "Reported", Status: yes})
	if e.Valid == nil || *e.Valid || e.Verdict != Unknown || !e.Reported {
		t.Errorf("%+v", e)
	}
	if e := *Of(&v1alpha1.BenchmarkSuite{}); e.Kind != Suite || e.Phase != "Pending" || e.Valid != nil {
		t.Errorf("a suite that nobody has looked at: %+v", e)
	}
}
