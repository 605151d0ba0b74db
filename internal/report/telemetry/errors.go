package telemetry

import (
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/stores"
)

// maxErrorKinds bounds the kinds of errors of a workload. Codes come from a small set; a flood of
// them is summed up under bundle.OtherCode, for each operation and outcome that there is.
const maxErrorKinds = 64

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

// errorCounts adds up errors by operation, outcome and code. It keeps the first example of each.
type errorCounts struct {
	counts []report.ErrorCount
	at     map[errorKey]int
}

func (c *errorCounts) add(e bundle.ErrorSeen) (kind int) {
	if c.at == nil {
		c.at = map[errorKey]int{}
	}
	k := errorKey{report.Truncate(e.Operation, report.MaxErrorText), report.Truncate(e.Outcome, report.MaxErrorText), report.Truncate(e.Code, report.MaxErrorText)}
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
		c.counts = append(c.counts, report.ErrorCount{Operation: k.operation, Outcome: k.outcome, Code: k.code, Example: report.Truncate(e.Example, report.MaxErrorText)})
	}
	c.counts[i].Count += e.Count
	return i
}

// maxErrorsSeen bounds what is kept of when errors were seen: 1.6 MB of a worker. Beyond it errors of one kind are added up over
// longer and longer times.
const (
	maxErrorsSeen   = 65_536
	leastErrorsSpan = 30 * instant.NanosPerSecond
)

// errorSeen is how often a kind of error was seen since the line before, or in a span of time that ends then.
type errorSeen struct {
	at    instant.Unix
	count int64
	kind  int32 // the index of its counts
}

// note keeps when an error was seen.
func (s *Worker) note(at instant.Unix, kind int, count int64) {
	if len(s.seen) == maxErrorsSeen {
		// Half of the room is free afterwards, or the next one would join all of them again.
		for span := int64(leastErrorsSpan); len(s.seen) > maxErrorsSeen/2; span *= 2 {
			s.seen = joined(s.seen, span)
		}
	}
	s.seen = append(s.seen, errorSeen{at, count, int32(kind)})
}

// joined adds up the errors of one kind that were seen in the same span of so many nanoseconds.
func joined(seen []errorSeen, span int64) []errorSeen {
	type key struct {
		kind int32
		span int64
	}
	places, kept := map[key]int{}, seen[:0]
	for _, e := range seen {
		k := key{e.kind, int64(e.at) / span}
		at, known := places[k]
		if !known {
			places[k] = len(kept)
			kept = append(kept, e)
			continue
		}
		kept[at].count += e.count
		kept[at].at = max(kept[at].at, e.at)
	}
	return kept
}

// EachError calls each for the errors that the worker saw. at is when the line was written.
func (s *Worker) EachError(each func(at instant.Unix, operation, outcome, code string, count int64)) {
	for _, e := range s.seen {
		k := &s.errors.counts[e.kind]
		each(e.at, k.Operation, k.Outcome, k.Code, e.count)
	}
}
