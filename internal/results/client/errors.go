package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"

	"github.com/kvbench/kvbench/internal/results/wire"
)

// Error is a refusal by the server. Compare it with errors.Is and the values below.
type Error struct {
	Status  int
	Problem wire.Problem
}

func (e *Error) Error() string { return "results server: " + e.Problem.Error }

// The kinds of refusal. ErrConflict is true of each that follows it.
var (
	ErrUnauthenticated = errors.New("the results server does not accept the token")
	ErrForbidden       = errors.New("the results server does not allow this")
	ErrNotFound        = errors.New("the results server has no such run or file")
	ErrTooLarge        = errors.New("the results server takes no more of this")
	ErrFull            = errors.New("the results server has no room")
	ErrMerging         = errors.New("the report is being made")
	ErrUnmergeable     = errors.New("the bundle gives no report")

	ErrConflict = errors.New("the results server holds something else")
	ErrClaimed  = errors.New("another pod holds the claim")
	ErrOffset   = errors.New("the file has another length")
	ErrEnded    = errors.New("the file has ended")
	ErrDigest   = errors.New("the file's bytes differ from the end mark")
	ErrReported = errors.New("the run has its report")
)

// Is lets errors.Is compare a refusal with the kinds above.
func (e *Error) Is(kind error) bool {
	switch kind {
	case ErrUnauthenticated:
		return e.Status == http.StatusUnauthorized
	case ErrForbidden:
		return e.Status == http.StatusForbidden
	case ErrNotFound:
		return e.Status == http.StatusNotFound
	case ErrTooLarge:
		return e.Status == http.StatusRequestEntityTooLarge
	case ErrFull:
		return e.Status == http.StatusInsufficientStorage
	case ErrMerging:
		return e.Problem.Reason == wire.ReasonMerging
	case ErrUnmergeable:
		return e.Status == http.StatusUnprocessableEntity
	case ErrConflict:
		return e.Status == http.StatusConflict
	case ErrClaimed:
		return e.Problem.Reason == wire.ReasonClaimed
	case ErrOffset:
		return e.Problem.Reason == wire.ReasonOffset
	case ErrEnded:
		return e.Problem.Reason == wire.ReasonEnded
	case ErrDigest:
		return e.Problem.Reason == wire.ReasonDigest
	case ErrReported:
		return e.Problem.Reason == wire.ReasonReported
	}
	return false
}

// FromEarlierVersion says that the server doesn't know the request, as one of an earlier version doesn't.
func FromEarlierVersion(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && (refused.Status == http.StatusNotFound || refused.Status == http.StatusMethodNotAllowed)
}

// Transient says whether the same request may succeed later, with nothing changed by the
// caller: the server is away, busy or failing, its disk is full (space may be made), or
// the token has run out (the kubelet puts a new one into the file). Of a token file that
// can't be read it is true for the same reason.
//
// A certificate that isn't trusted is permanent, and so is the end of the caller's own
// context, which errors.Is(err, context.Canceled) tells; a request's own timeout is
// transient.
func Transient(err error) bool {
	var refused *Error
	if errors.As(err, &refused) {
		switch refused.Status {
		case http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusTooManyRequests:
			return true
		}
		return refused.Status >= 500
	}
	var unverified *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var hostname x509.HostnameError
	if errors.As(err, &unverified) || errors.As(err, &authority) || errors.As(err, &hostname) {
		return false
	}
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	var exchange *url.Error
	var network net.Error
	var system syscall.Errno
	return errors.As(err, &exchange) || errors.As(err, &network) || errors.As(err, &system) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}
