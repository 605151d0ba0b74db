package hazelcast

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/kvbench/kvbench/internal/stores"
)

// codeSQL says that a member could not carry out the statement of a scan.
const codeSQL = "SQLError"

// serverError is an operation that a member answered with an exception. The numbers are the
// protocol's (https://docs.hazelcast.org/docs/protocol/2.6/client-protocol.html#error-codes).
type serverError struct {
	number  int32
	message string
}

func (e *serverError) Error() string {
	return fmt.Sprintf("hazelcast: error %d: %s", e.number, e.message)
}

// serverCodes names the numbers that faults bring about; the others are ServerError.
var serverCodes = map[int32]string{
	8: "CallerNotMember", 19: "NotActive", 20: "Overload", 33: "MemberLeft", 38: "OperationTimeout",
	39: "PartitionMigrating", 42: "SplitBrainProtection", 43: "ReachedMaxSize", 46: "Retryable",
	52: "TargetDisconnected", 53: "TargetNotMember", 62: "WrongTarget", 67: "NoDataMember",
	69: stores.CodeTooLarge, 72: "OutOfMemory", 80: "IndeterminateState", 82: "TargetNotReplica",
}

// illegalState is the number of the exception of what can't be done as things are.
const illegalState = 27

// refusals are the numbers of exceptions that come from the request itself, before a member
// tries it. After the others a write may have been tried before: members try again in silence.
var refusals = map[int32]bool{
	23: true, // IllegalArgument
	49: true, // Security
	61: true, // UnsupportedOperation
	64: true, // AccessControl
	69: true, // MaxMessageSizeExceeded
}

// decodeError reads the first of the exceptions in a reply: a list of structures, which begin
// with the number, the class and the message.
func decodeError(m *message) error {
	if len(m.frames) < 6 || !m.frames[1].is(flagBegin) || !m.frames[2].is(flagBegin) || len(m.frames[3].content) < 4 {
		return fmt.Errorf("%w: an error without a number", errProtocol)
	}
	said := m.frames[5].content
	if len(said) == 0 {
		said = m.frames[4].content // the class
	}
	return &serverError{number: int32(binary.LittleEndian.Uint32(m.frames[3].content)), message: string(said[:min(len(said), 200)])}
}

func failed(code string, err error) *stores.Error {
	return &stores.Error{Outcome: stores.Failed, Code: code, Err: err}
}

// outcome is what is known of an operation that was sent and has no good answer.
func outcome(kind stores.Kind, err error) *stores.Error {
	answer := &stores.Error{Outcome: stores.Unknown, Code: codeOf(err), Err: fmt.Errorf("hazelcast: %w", err)}
	var said *serverError
	refused := errors.As(err, &said) && refusals[said.number]
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
	var sql *sqlError
	switch {
	case errors.As(err, &sql):
		return codeSQL
	case errors.As(err, &said):
		if code, ok := serverCodes[said.number]; ok {
			return code
		}
		return stores.CodeServerError
	case errors.Is(err, errProtocol):
		return stores.CodeServerError
	}
	return stores.CodeOf(err)
}
