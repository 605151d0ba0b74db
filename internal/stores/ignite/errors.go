package ignite

import (
	"errors"
	"fmt"

	"github.com/kvbench/kvbench/internal/stores"
)

// serverError is an operation that a member answered with a status that is no success
// (org.apache.ignite.internal.processors.platform.client.ClientStatus).
type serverError struct {
	status  int32
	message string
}

func (e *serverError) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.message) }

const (
	statusNoCache         = 1000
	statusUnauthenticated = 2000 // AUTH_FAILED
)

// serverCodes names the statuses that faults and credentials bring about; the others are ServerError.
var serverCodes = map[int32]string{
	10: "InvalidNodeState", 11: "NodeInRecovery", statusNoCache: "CacheDoesNotExist", 1010: "TooManyCursors",
	statusUnauthenticated: stores.CodeUnauthorized,
}

// refusals are the statuses that come from the request itself, before a member tries it. After the
// others a write may have been tried: a member tries again in silence when the members are others.
var refusals = map[int32]bool{
	2:             true, // INVALID_OP_CODE
	100:           true, // FUNCTIONALITY_DISABLED
	statusNoCache: true,
	1012:          true, // SECURITY_VIOLATION
}

func failed(code string, err error) *stores.Error {
	return &stores.Error{Outcome: stores.Failed, Code: code, Err: fmt.Errorf("ignite: %w", err)}
}

// outcome is what is known of an operation that was sent and has no good answer.
func outcome(kind stores.Kind, err error) *stores.Error {
	answer := &stores.Error{Outcome: stores.Unknown, Code: codeOf(err), Err: fmt.Errorf("ignite: %w", err)}
	var said *serverError
	refused := errors.As(err, &said) && refusals[said.status]
	if kind.Reads() || refused {
		answer.Outcome = stores.Failed
	}
	answer.Answered = refused
	return answer
}

// batchOutcome is what is known of a batch that was sent and has no good answers to all of it: others
// than the one that was refused may have been done.
func batchOutcome(err error) *stores.Error {
	answer := outcome(stores.Insert, err)
	answer.Outcome, answer.Answered = stores.Unknown, false
	return answer
}

func codeOf(err error) string {
	var said *serverError
	switch {
	case errors.As(err, &said):
		if code, ok := serverCodes[said.status]; ok {
			return code
		}
		return stores.CodeServerError
	case errors.Is(err, errProtocol):
		return stores.CodeServerError
	}
	return stores.CodeOf(err)
}
