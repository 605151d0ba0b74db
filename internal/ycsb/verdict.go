package ycsb

import (
	"cmp"
	"errors"
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

// Failures are operations that did not succeed.
type Failures struct {
	Operations   int64 // that were made
	Failed       int64 // of them
	NeverStarted int64 // beside them: they were intended, and no slot became free
	Fills        int64 // beside them: records that a read missed, and that could not be set
	Seen         []bundle.ErrorSeen
}

// mostSeen is how many kinds of errors are told.
const mostSeen = 5

func (f *Failures) Error() string {
	var parts []string
	if f.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d operations did not succeed", f.Failed, f.Operations))
	}
	if f.Fills > 0 {
		parts = append(parts, fmt.Sprintf("%d records that reads missed could not be set", f.Fills))
	}
	if f.NeverStarted > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d intended operations never started", f.NeverStarted, f.Operations+f.NeverStarted))
	}
	text := strings.Join(parts, ", and ")
	var told []string
	for _, e := range f.Seen[:min(len(f.Seen), mostSeen)] {
		told = append(told, fmt.Sprintf("%d × %s %s (%s)", e.Count, e.Operation, e.Code, firstLine(strings.TrimPrefix(e.Example, e.Code+": "))))
	}
	if len(told) > 0 {
		text += ": " + strings.Join(told, "; ")
	}
	return text
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// Worst is all that went wrong, the gravest first. It tells all of it; to errors.As, and so
// to the exit code, it is the first.
type Worst struct{ all []error }

// worst leaves out what is nil; nil when nothing is left.
func worst(all ...error) error {
	all = slices.DeleteFunc(all, func(err error) bool { return err == nil })
	if len(all) < 2 {
		return errors.Join(all...)
	}
	return &Worst{all}
}

func (w *Worst) Unwrap() error { return w.all[0] }

func (w *Worst) Error() string {
	var lines []string
	for _, err := range w.all {
		lines = append(lines, err.Error())
	}
	return strings.Join(lines, "\n")
}

// verdict is what a run that came to its end has to say against itself, in this order: not
// all was loaded, the generator's own faults, the store's.
//
// misses says that reads that find nothing are what the workload is about.
func (f *figures) verdict(wanted int64, load, misses bool) error {
	var missing error
	if load && f.Finish.Inserted < wanted {
		missing = fmt.Errorf("%d of %d records were loaded", f.Finish.Inserted, wanted)
	}
	return worst(missing, f.notValid(load), f.failures(misses))
}

func (f *figures) notValid(load bool) error {
	var reasons []string
	say := func(all []report.Reason) {
		for _, reason := range all {
			text := reason.Reason + ": " + reason.Message
			nobodyWantedTo := load && reason.Reason == report.NotMeasured
			if !nobodyWantedTo && !slices.Contains(reasons, text) {
				reasons = append(reasons, text)
			}
		}
	}
	say(f.report.InvalidReasons)
	for _, w := range f.report.Workloads {
		if load && w.Loading != nil {
			say(w.Loading.InvalidReasons)
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	return &NotValid{reasons}
}

func (f *figures) failures(misses bool) error {
	all := &Failures{Operations: f.Finish.Operations, Failed: f.Finish.Operations - f.Finish.Succeeded, NeverStarted: f.Finish.NeverStarted}
	var seen int64
	for _, e := range f.Errors {
		if misses && e.Operation == stores.Read.String() && e.Code == stores.CodeNotFound {
			continue
		}
		seen += e.Count
		all.Seen = append(all.Seen, e)
	}
	if misses {
		// Setting a record is no operation: its error is one more than those of operations.
		all.Fills, all.Failed = f.Unset, seen-f.Unset
	}
	if all.Failed == 0 && all.Fills == 0 && all.NeverStarted == 0 {
		return nil
	}
	slices.SortStableFunc(all.Seen, func(a, b bundle.ErrorSeen) int { return -cmp.Compare(a.Count, b.Count) })
	return all
}
