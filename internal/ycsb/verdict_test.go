package ycsb

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/ycsb/measurements"
)

func TestTheGravestOfWhatWentWrongIsTheVerdict(t *testing.T) {
	miss := bundle.ErrorSeen{Operation: "READ", Outcome: "failed", Code: "NOT_FOUND", Count: 3, Example: "no such record\nat all"}
	late := bundle.ErrorSeen{Operation: "UPDATE", Outcome: "unknown", Code: "DeadlineExceeded", Count: 4, Example: "DeadlineExceeded: late"}
	lag := report.Reason{Reason: report.GeneratorLag, Message: "too late"}
	unmeasured := report.Reason{Reason: report.NotMeasured, Message: "never started"}
	fill := bundle.ErrorSeen{Operation: "INSERT", Outcome: "unknown", Code: "Unavailable", Count: 2, Example: "gone"}
	for _, c := range []struct {
		name         string
		errors       []bundle.ErrorSeen
		reasons      []report.Reason
		loading      []report.Reason
		inserted     int64
		neverStarted int64
		fills        int64 // of errors
		load, misses bool
		want         []string // the gravest first
	}{
		{name: "nothing"},
		{name: "a load does not measure", reasons: []report.Reason{unmeasured}, load: true, inserted: 10},
		{name: "a load phase that was disturbed", loading: []report.Reason{lag}, load: true, inserted: 10, want: []string{
			"the figures are not valid, by the load generator's own fault: GeneratorLag: too late"}},
		{name: "what a run and its load phase say is said once", reasons: []report.Reason{lag}, loading: []report.Reason{lag}, load: true, inserted: 10, want: []string{
			"the figures are not valid, by the load generator's own fault: GeneratorLag: too late"}},
		{name: "a run does", reasons: []report.Reason{unmeasured}, want: []string{"the figures are not valid, by the load generator's own fault: NotMeasured: never started"}},
		{name: "failures, the most frequent first", errors: []bundle.ErrorSeen{miss, late},
			want: []string{"7 of 100 operations did not succeed: 4 × UPDATE DeadlineExceeded (late); 3 × READ NOT_FOUND (no such record)"}},
		{name: "operations that never started", neverStarted: 47, want: []string{"47 of 147 intended operations never started"}},
		{name: "and failures", neverStarted: 47, errors: []bundle.ErrorSeen{late},
			want: []string{"4 of 100 operations did not succeed, and 47 of 147 intended operations never started: 4 × UPDATE DeadlineExceeded (late)"}},
		{name: "misses of a cache", errors: []bundle.ErrorSeen{miss}, misses: true},
		{name: "misses of a cache, and more", errors: []bundle.ErrorSeen{miss, late}, misses: true,
			want: []string{"4 of 100 operations did not succeed: 4 × UPDATE DeadlineExceeded (late)"}},
		{name: "misses of a cache that were not set", errors: []bundle.ErrorSeen{miss, fill}, fills: 2, misses: true,
			want: []string{"2 records that reads missed could not be set: 2 × INSERT Unavailable (gone)"}},
		{name: "its own fault before the store's", errors: []bundle.ErrorSeen{late}, reasons: []report.Reason{lag}, want: []string{
			"the figures are not valid, by the load generator's own fault: GeneratorLag: too late",
			"4 of 100 operations did not succeed: 4 × UPDATE DeadlineExceeded (late)"}},
		{name: "records that are missing before all", errors: []bundle.ErrorSeen{late}, reasons: []report.Reason{lag}, load: true, inserted: 9, want: []string{
			"9 of 10 records were loaded",
			"the figures are not valid, by the load generator's own fault: GeneratorLag: too late",
			"4 of 100 operations did not succeed: 4 × UPDATE DeadlineExceeded (late)"}},
	} {
		f := &figures{
			Figures: &measurements.Figures{Totals: &measurements.Totals{Errors: c.errors, Unset: c.fills, Finish: &bundle.Finish{
				Operations: 100, Succeeded: 100 + c.fills, Inserted: c.inserted, NeverStarted: c.neverStarted,
			}}},
			report: &report.Report{InvalidReasons: c.reasons, Workloads: []report.Workload{
				{Loading: &report.Loading{Valid: len(c.loading) == 0, InvalidReasons: c.loading}}}},
		}
		for _, e := range c.errors {
			f.Finish.Succeeded -= e.Count
		}
		err := f.verdict(10, c.load, c.misses)
		var got []string
		if err != nil {
			got = strings.Split(err.Error(), "\n")
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTheWorstIsTheFirst(t *testing.T) {
	notValid, failures := &NotValid{[]string{"too late"}}, &Failures{Operations: 3, Failed: 2}
	var n *NotValid
	var f *Failures
	if err := worst(nil, notValid, nil, failures); !errors.As(err, &n) || errors.As(err, &f) {
		t.Errorf("%v is a NotValid: %v, and Failures: %v", err, n != nil, f != nil)
	}
	if err := worst(nil, worst(nil, failures)); !errors.As(err, &f) {
		t.Errorf("%v is no Failures", err)
	}
	if err := worst(nil, nil); err != nil {
		t.Errorf("nothing is %v", err)
	}
}
