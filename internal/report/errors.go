package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/bundle"
)

// Bounds of what pods can make a report hold. Codes come from a small set; a flood of
// them is summed up under otherCode.
const (
	maxErrorKinds = 64
	maxErrorText  = 256
	otherCode     = "OTHER"
)

// countErrors adds up what the workers saw go wrong, by operation, outcome and code. The
// example is the first worker's first one.
func countErrors(workers []workerLines) []ErrorCount {
	type key struct{ operation, outcome, code string }
	at := map[key]int{}
	counts := []ErrorCount{}
	add := func(e bundle.ErrorSeen) {
		k := key{cut(e.Operation), cut(e.Outcome), cut(e.Code)}
		if _, known := at[k]; !known && len(counts) >= maxErrorKinds {
			k = key{code: otherCode}
		}
		i, known := at[k]
		if !known {
			i = len(counts)
			at[k] = i
			counts = append(counts, ErrorCount{Operation: k.operation, Outcome: k.outcome, Code: k.code, Example: cut(e.Example)})
		}
		counts[i].Count += e.Count
	}
	for _, worker := range workers {
		for _, line := range worker.lines {
			for _, e := range line.Errors {
				add(e)
			}
		}
	}
	slices.SortFunc(counts, func(a, b ErrorCount) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Code, b.Code))
	})
	return counts
}

func cut(text string) string {
	if len(text) > maxErrorText {
		text = text[:maxErrorText]
	}
	return strings.ToValidUTF8(text, "")
}

// perSecond rounds to thousandths, so that the digits are the same everywhere.
func perSecond(count, micros int64) float64 {
	if micros <= 0 {
		return 0
	}
	return math.Round(float64(count)/float64(micros)*1e9) / 1e3
}
