// Package exit has the exit codes of kubectl kvbench.
package exit

import "errors"

// Codes of a process.
const (
	Failed  = 1 // a run failed, a file is refused, or an objective isn't kept
	Usage   = 2 // the command was used wrongly, or the cluster can't be reached or refuses
	Unknown = 3 // the numbers are not valid, or they don't decide
)

// Status is an error with a code.
type Status struct {
	code int
	err  error // nil where all has been said
}

func (s *Status) Error() string {
	if s.err == nil {
		return ""
	}
	return s.err.Error()
}

func (s *Status) Unwrap() error { return s.err }

// With gives an error a code. A nil error ends the process with the code, and without a message.
func With(code int, err error) error { return &Status{code, err} }

// Code is an error's own, 0 for nil, and Usage for every other one.
func Code(err error) int {
	var status *Status
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return status.code
	}
	return Usage
}
