package ycsb

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/stores"
)

// BadInput is what the user has to change before anything can be done.
type BadInput struct{ Cause error }

func (b BadInput) Unwrap() error { return b.Cause }

// Error is one line.
func (b BadInput) Error() string { return strings.ReplaceAll(b.Cause.Error(), "\n", "; ") }

// Refuse says what the user has to change.
func Refuse(format string, args ...any) error { return BadInput{fmt.Errorf(format, args...)} }

// Signalled means that a signal ended the work.
type Signalled struct{ Signal os.Signal }

func (s *Signalled) Error() string {
	return fmt.Sprintf("received %v: ended before it was done", s.Signal)
}

// Number is the signal's.
func (s *Signalled) Number() int {
	number, _ := s.Signal.(syscall.Signal)
	return int(number)
}

// NotValid means that the figures may not be believed, by the generator's own fault.
type NotValid struct{ Reasons []string }

func (n *NotValid) Error() string {
	return "the figures are not valid, by the load generator's own fault: " + strings.Join(n.Reasons, "; ")
}

// Failures are operations that did not succeed, in a measurement that is valid.
type Failures struct {
	Operations int64 // that were made
	Failed     int64
	Seen       []bundle.ErrorSeen
}

// mostSeen is how many kinds of errors are told.
const mostSeen = 5

func (f *Failures) Error() string {
	var told []string
	for _, e := range f.Seen[:min(len(f.Seen), mostSeen)] {
		told = append(told, fmt.Sprintf("%d × %s %s (%s)", e.Count, e.Operation, e.Code, firstLine(e.Example)))
	}
	return fmt.Sprintf("%d of %d operations did not succeed: %s", f.Failed, f.Operations, strings.Join(told, "; "))
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// verdict is what a run that came to its end has to say against itself, in this order: not
// all was loaded, the generator's own faults, the store's.
//
// misses says that reads that find nothing are what the workload is about.
func (f *figures) verdict(wanted int64, load, misses bool) error {
	if load && f.finish.Inserted < wanted {
		return fmt.Errorf("%d of %d records were loaded", f.finish.Inserted, wanted)
	}
	var reasons []string
	for _, reason := range f.report.InvalidReasons {
		if !load || reason.Reason != report.NotMeasured { // nobody wanted to
			reasons = append(reasons, reason.Reason+": "+reason.Message)
		}
	}
	if len(reasons) > 0 {
		return &NotValid{reasons}
	}
	failed := f.finish.Operations - f.finish.Succeeded
	var seen []bundle.ErrorSeen
	for _, e := range f.errors {
		if misses && e.Operation == stores.Read.String() && e.Code == stores.CodeNotFound {
			failed -= e.Count
			continue
		}
		seen = append(seen, e)
	}
	if failed > 0 {
		slices.SortStableFunc(seen, func(a, b bundle.ErrorSeen) int { return -cmp.Compare(a.Count, b.Count) })
		return &Failures{Operations: f.finish.Operations, Failed: failed, Seen: seen}
	}
	return nil
}
