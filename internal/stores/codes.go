package stores

import (
	"context"
	"errors"
	"os"
)

// These codes mean the same in every store, so that the codes of two stores compare. Other codes are a store's
// own answers in the store's own words, such as Redis' CLUSTERDOWN or etcd's NoLeader.
const (
	// CodeNotFound says that there is no such record. The outcome is Failed, and the error is Answered.
	CodeNotFound = "NOT_FOUND"
	// CodeBadOperation says that the store can't do the operation, or that the driver can't express it.
	// Nothing was sent. The outcome is Failed.
	CodeBadOperation = "BAD_OPERATION"
	// CodeBadRecord says that an answer doesn't hold a record as a driver writes it, or holds more records
	// than were asked for. Only a read or a scan has it. The outcome is Failed.
	CodeBadRecord = "BAD_RECORD"
	// CodeDeadline says that the operation's deadline passed. If it passed before anything was sent, or if the
	// operation reads, the outcome is Failed. Otherwise it is Unknown.
	CodeDeadline = "DeadlineExceeded"
	// CodeNoConnection says that there was no connection to a member until the operation's deadline, or that an
	// attempt to make one failed. Nothing was sent. The outcome is Failed.
	CodeNoConnection = "NoConnection"
	// CodeConnectionLost says that the connection ended under the operation. If the operation reads, or if its
	// request was not sent whole, the outcome is Failed. Otherwise it is Unknown.
	CodeConnectionLost = "ConnectionLost"
	// CodeNoPrimary says that no member is known to be the primary until the operation's deadline. Nothing was
	// sent. The outcome is Failed.
	CodeNoPrimary = "NoPrimary"
	// CodeUnauthorized says that a member takes the client's password or certificate for wrong, or that the
	// client takes the member's certificate for wrong. The outcome is Failed. An observer begins with this code
	// what it says of such a member.
	CodeUnauthorized = "Unauthorized"
	// CodeTooLarge says that the member refused the record since it is too large. The outcome is Failed.
	CodeTooLarge = "TooLarge"
	// CodeServerError says that a member answered with an error that has no code of its own, or with what isn't
	// the store's protocol. If the operation reads, the outcome is Failed. Otherwise it is Unknown.
	CodeServerError = "ServerError"
)

// ConnectError is an error of an operation that got no connection, for the reason Err. Nothing was sent.
type ConnectError struct{ Err error }

func (e *ConnectError) Error() string { return e.Err.Error() }
func (e *ConnectError) Unwrap() error { return e.Err }

// CodeOf is the code of an operation that no member answered: CodeUnauthorized, CodeNoConnection,
// CodeDeadline or CodeConnectionLost. An error of connecting has to be a ConnectError.
func CodeOf(err error) string {
	var connecting *ConnectError
	switch {
	case IsTLSRefusal(err):
		return CodeUnauthorized
	case errors.As(err, &connecting):
		return CodeNoConnection
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return CodeDeadline
	}
	return CodeConnectionLost
}
