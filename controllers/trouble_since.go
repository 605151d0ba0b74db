package controllers

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// troubleTimes remembers since when pods of runs have their trouble, and its first words: a pod's status
// doesn't tell the first, and what it says later differs in counts and times. After a restart the time
// counts anew. The zero value is ready.
type troubleTimes struct {
	mu   sync.Mutex
	runs map[types.UID]map[types.UID]podTrouble
}

// date completes the troubles that a run's pods have now. One that isn't among them is over.
func (t *troubleTimes) date(run types.UID, now time.Time, lists ...[]podTrouble) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before, current := t.runs[run], map[types.UID]podTrouble{}
	for _, troubles := range lists {
		for i := range troubles {
			troubles[i] = troubles[i].after(before[troubles[i].Of], now)
			current[troubles[i].Of] = troubles[i]
		}
	}
	if len(current) == 0 {
		delete(t.runs, run)
		return
	}
	if t.runs == nil {
		t.runs = map[types.UID]map[types.UID]podTrouble{}
	}
	t.runs[run] = current
}

// after is the trouble now, of a pod that had the other before.
func (p podTrouble) after(before podTrouble, now time.Time) podTrouble {
	switch {
	case p.Kind == before.Kind, p.Kind == imageBackOff && before.Kind.ofPull():
		return before
	case p.Kind == imageBackOff:
		p.Kind = imageNotPulled
	}
	p.Since = now
	return p
}
