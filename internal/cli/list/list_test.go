package list

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/cli/inventory"
)

func TestTheTableHasWhatIsKnown(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	began, yes, no := now.Add(-90*time.Second), true, false
	entries := []inventory.Entry{
		{Kind: inventory.Run, Namespace: "team", Name: "waits", Phase: "Pending"},
		{Kind: inventory.Run, Namespace: "team", Name: "good", Store: "etcd", Mode: "raft", Members: 3, Phase: "Complete", Valid: &yes, Verdict: inventory.Passed, Started: &began},
		{Kind: inventory.Suite, Namespace: "team", Name: "matrix", UID: "5f", Phase: inventory.Kept, Valid: &no, InvalidReasons: []string{"GeneratorLag", "ClockOff"}},
	}
	for _, c := range []struct {
		namespaces, wide bool
		want             []string
	}{
		{want: []string{
			"NAME KIND STORE NODES PHASE VALID OBJECTIVES STARTED",
			"waits run - - Pending - - -",
			"good run etcd 3 Complete yes Passed 90s ago",
			"matrix suite - - Kept no - -",
		}},
		{namespaces: true, wide: true, want: []string{
			"NAMESPACE NAME KIND STORE NODES PHASE VALID OBJECTIVES STARTED MODE UID REASONS",
			"team waits run - - Pending - - - - - -",
			"team good run etcd 3 Complete yes Passed 90s ago raft - -",
			"team matrix suite - - Kept no - - - 5f GeneratorLag,ClockOff",
		}},
	} {
		var printed bytes.Buffer
		if err := table(&printed, entries, c.namespaces, c.wide, now); err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.TrimSpace(printed.String()), "\n") {
			if got := strings.Join(strings.Fields(line), " "); i >= len(c.want) || got != c.want[i] {
				t.Errorf("line %d: %q", i, got)
			}
		}
	}
}
