package loadgen

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// errorCounts counts operations that did not succeed. Safe for concurrent use; its lock
// is taken by failures alone.
type errorCounts struct {
	mu   sync.Mutex
	seen map[errorKey]*bundle.ErrorSeen
}

type errorKey struct {
	kind    stores.Kind
	outcome stores.Outcome
	code    string
}

// Limits of what is kept of errors between two lines.
const (
	maxCodes   = 64
	maxExample = 300
)

func newErrorCounts() *errorCounts { return &errorCounts{seen: map[errorKey]*bundle.ErrorSeen{}} }

// count counts a driver's error and returns the outcome that it stands for, and its code.
func (e *errorCounts) count(kind stores.Kind, err error) (stores.Outcome, string) {
	key := errorKey{kind: kind, outcome: stores.Failed, code: bundle.OtherCode}
	var known *stores.Error
	if errors.As(err, &known) {
		key.outcome, key.code = known.Outcome, known.Code
	} else if kind != stores.Read && kind != stores.Scan {
		key.outcome = stores.Unknown // nobody said that the write cannot have happened
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	seen := e.seen[key]
	if seen == nil && len(e.seen) >= maxCodes {
		key.code = bundle.OtherCode
		seen = e.seen[key]
	}
	if seen == nil {
		example := err.Error()
		seen = &bundle.ErrorSeen{
			Operation: kind.String(), Outcome: key.outcome.String(), Code: key.code,
			Example: example[:min(len(example), maxExample)],
		}
		e.seen[key] = seen
	}
	seen.Count++
	return key.outcome, key.code
}

// take returns what was counted since the last time, in a fixed order.
func (e *errorCounts) take() []bundle.ErrorSeen {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.seen) == 0 {
		return nil
	}
	all := make([]bundle.ErrorSeen, 0, len(e.seen))
	for _, seen := range e.seen {
		all = append(all, *seen)
	}
	clear(e.seen)
	slices.SortFunc(all, func(a, b bundle.ErrorSeen) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Code, b.Code))
	})
	return all
}
