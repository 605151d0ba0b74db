package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// Bounds of what pods can make a report hold. Codes come from a small set; a flood of
// them is summed up under bundle.OtherCode, for each operation and outcome that there is.
const (
	maxErrorKinds = 64
	maxErrorText  = 256
)

type errorKey struct{ operation, outcome, code string }

// exists says whether there are such operations and such outcomes.
func (k errorKey) exists() bool {
	for kind := range stores.NumKinds {
		for outcome := range stores.NumOutcomes {
			if k.operation == kind.String() && k.outcome == outcome.String() {
				return true
			}
		}
	}
	return false
}

// errorCounts adds up what went wrong, by operation, outcome and code. The example is the
// first one.
type errorCounts struct {
	counts []ErrorCount
	at     map[errorKey]int
}

func (c *errorCounts) add(e bundle.ErrorSeen) {
	if c.at == nil {
		c.at = map[errorKey]int{}
	}
	k := errorKey{cut(e.Operation, maxErrorText), cut(e.Outcome, maxErrorText), cut(e.Code, maxErrorText)}
	if _, known := c.at[k]; !known && len(c.counts) >= maxErrorKinds {
		k.code = bundle.OtherCode
		if !k.exists() {
			k.operation, k.outcome = "", ""
		}
	}
	i, known := c.at[k]
	if !known {
		i = len(c.counts)
		c.at[k] = i
		c.counts = append(c.counts, ErrorCount{Operation: k.operation, Outcome: k.outcome, Code: k.code, Example: cut(e.Example, maxErrorText)})
	}
	c.counts[i].Count += e.Count
}

// countErrors adds up what the workers saw go wrong, in the order of the workers.
func countErrors(workers []*selfOf) []ErrorCount {
	var sum errorCounts
	for _, worker := range workers {
		for _, e := range worker.errors.counts {
			sum.add(bundle.ErrorSeen(e))
		}
	}
	slices.SortFunc(sum.counts, func(a, b ErrorCount) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Code, b.Code))
	})
	if sum.counts == nil {
		return []ErrorCount{}
	}
	return sum.counts
}

// cut makes a copy: the rest of the line is not to be kept for it.
func cut(text string, most int) string {
	if len(text) > most {
		text = text[:most]
	}
	return strings.Clone(strings.ToValidUTF8(text, ""))
}

// perSecond rounds to thousandths, so that the digits are the same everywhere.
func perSecond(count, micros int64) float64 {
	if micros <= 0 {
		return 0
	}
	return math.Round(float64(count)/float64(micros)*1e9) / 1e3
}
