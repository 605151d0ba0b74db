package ycsb

import (
	"errors"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
)

func TestTheGravestOfWhatWentWrongIsTheVerdict(t *testing.T) {
	miss := bundle.ErrorSeen{Operation: "READ", Outcome: "failed", Code: "NOT_FOUND", Count: 3, Example: "no such record\nat all"}
	late := bundle.ErrorSeen{Operation: "UPDATE", Outcome: "unknown", Code: "DeadlineExceeded", Count: 4, Example: "late"}
	lag := report.Reason{Reason: report.GeneratorLag, Message: "too late"}
	unmeasured := report.Reason{Reason: report.NotMeasured, Message: "never started"}
	for _, c := range []struct {
		name         string
		errors       []bundle.ErrorSeen
		reasons      []report.Reason
		inserted     int64
		load, misses bool
		want         string // "" for none
	}{
		{name: "nothing"},
		{name: "a load does not measure", reasons: []report.Reason{unmeasured}, load: true, inserted: 10},
		{name: "a run does", reasons: []report.Reason{unmeasured}, want: "not valid, by the load generator's own fault: NotMeasured: never started"},
		{name: "failures, the most frequent first", errors: []bundle.ErrorSeen{miss, late},
			want: "7 of 100 operations did not succeed: 4 × UPDATE DeadlineExceeded (late); 3 × READ NOT_FOUND (no such record)"},
		{name: "misses of a cache", errors: []bundle.ErrorSeen{miss}, misses: true},
		{name: "misses of a cache, and more", errors: []bundle.ErrorSeen{miss, late}, misses: true, want: "4 of 100 operations did not succeed: 4 × UPDATE"},
		{name: "its own fault before the store's", errors: []bundle.ErrorSeen{late}, reasons: []report.Reason{lag}, want: "GeneratorLag: too late"},
		{name: "records that are missing before all", errors: []bundle.ErrorSeen{late}, reasons: []report.Reason{lag}, load: true, inserted: 9,
			want: "9 of 10 records were loaded"},
	} {
		f := &figures{
			measured: &measured{errors: c.errors, finish: &bundle.Finish{Operations: 100, Succeeded: 100, Inserted: c.inserted}},
			report:   &report.Report{InvalidReasons: c.reasons},
		}
		for _, e := range c.errors {
			f.finish.Succeeded -= e.Count
		}
		err := f.verdict(10, c.load, c.misses)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		var failures *Failures
		if errors.As(err, &failures) && failures.Operations != 100 {
			t.Errorf("%s: %+v", c.name, failures)
		}
	}
}
