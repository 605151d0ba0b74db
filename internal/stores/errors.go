package stores

import "errors"

// Error is an operation that did not succeed.
type Error struct {
	Outcome Outcome // Failed or Unknown
	// Code names the reason for counting. A driver has a small set of codes: those of every store, such as
	// CodeDeadline, and the store's own.
	Code string
	Err  error
	// Answered says that the store was there and that this is its answer, such as that there is no such
	// record. Such a failure is no sign of an outage.
	Answered bool
}

func (e *Error) Error() string { return e.Code + ": " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// NotFound is the answer of the store of that name that there is no such record.
func NotFound(store string) *Error {
	return &Error{Outcome: Failed, Code: CodeNotFound, Err: errors.New(store + ": no such record"), Answered: true}
}

// Late is the error of an operation whose deadline passed before anything of it was sent.
func Late(store string) *Error {
	return &Error{Outcome: Failed, Code: CodeDeadline, Err: errors.New(store + ": the deadline passed before the request")}
}
