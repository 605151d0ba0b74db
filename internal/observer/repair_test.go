package observer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
)

// broken is a store whose members need help, until they got it.
type broken struct {
	members
	asked, works int
}

func (b *broken) Repair(context.Context, time.Duration) (string, error) {
	switch b.asked++; {
	case b.asked < b.works:
		return "", errors.New("not now")
	case b.asked > b.works:
		return "", nil
	}
	b.set(threeLedBy("m-0"))
	return "m-1 was promoted", nil
}

func TestMembersThatDoNotComeBackAreHelped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &broken{members: members{states: threeLedBy("")}, works: 3}
		watch, end := begin(t, store)
		ctx, cancel := context.WithCancel(t.Context())
		repairing := make(chan error)
		trouble := 0
		go func() { repairing <- watch.repair(ctx, false, func(string, ...any) { trouble++ }) }()
		time.Sleep(10 * time.Second)
		cancel()
		if err := <-repairing; err != context.Canceled {
			t.Error(err)
		}
		var did []string
		for _, line := range end() {
			if line.Repair != "" {
				did = append(did, line.Repair)
			}
		}
		if !slices.Equal(did, []string{"m-1 was promoted"}) || trouble != 2 || store.asked != 4 {
			t.Errorf("%q, asked %d times, of which %d failed", did, store.asked, trouble)
		}
	})
}

// A longer one would make the report invalid.
func TestARepairFitsItsLine(t *testing.T) {
	w := &watch{}
	w.keepRepair("a")
	w.keepRepair("")
	w.keepRepair("b")
	if did := w.takeRepair(); did != "a; b" {
		t.Errorf("%q", did)
	}
	for range 9 {
		w.keepRepair(strings.Repeat("ä", 150))
	}
	if did := w.takeRepair(); len(did) > bundle.MaxRepairBytes || len(did) < bundle.MaxRepairBytes/2 || !utf8.ValidString(did) {
		t.Errorf("%d bytes", len(did))
	}
}

// What ran before is not changed to what it never was.
func TestMembersThatRanBeforeAreHelpedOnlyBackToWhatTheyWere(t *testing.T) {
	for name, c := range map[string]struct {
		wellFirst bool
		want      int
	}{"that were well": {true, 4}, "that never were": {false, 0}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &broken{members: members{states: threeLedBy("")}, works: 3}
				if c.wellFirst {
					store.set(threeLedBy("m-0"))
				}
				watch, end := begin(t, store)
				ctx, cancel := context.WithCancel(t.Context())
				repairing := make(chan error)
				go func() { repairing <- watch.repair(ctx, true, t.Logf) }()
				time.Sleep(3 * time.Second)
				store.set(threeLedBy(""))
				time.Sleep(10 * time.Second)
				cancel()
				<-repairing
				end()
				if store.asked != c.want {
					t.Errorf("helped %d times, want %d", store.asked, c.want)
				}
			})
		})
	}
}

// What ran before the run, or what a chart of its author makes, is seen to by others, unless faults
// may hit it. Even then it is helped only back to what it was.
func TestMembersThatAreNotTheRunsAreLeftAlone(t *testing.T) {
	for name, c := range map[string]struct {
		store        plan.Store
		faults       int
		want, others bool
	}{
		"deployed":                {plan.Store{}, 0, true, false},
		"existing":                {plan.Store{Existing: true}, 0, false, true},
		"existing with faults":    {plan.Store{Existing: true}, 1, true, true},
		"of a chart":              {plan.Store{OwnChart: &plan.OwnChart{}}, 0, false, true},
		"of a chart, with faults": {plan.Store{OwnChart: &plan.OwnChart{}}, 1, true, true},
	} {
		p := &plan.Plan{Store: c.store, Faults: make([]plan.Fault, c.faults)}
		if got := mayRepair(p); got != c.want || byOthers(p) != c.others {
			t.Errorf("%s: %v, of others: %v", name, got, byOthers(p))
		}
	}
}

func TestAStoreThatNeedsNoHelpGetsNone(t *testing.T) {
	watch := newWatch(testOptions(t, &server{}), &members{})
	if err := watch.repair(t.Context(), false, t.Logf); err != nil {
		t.Error(err)
	}
}
