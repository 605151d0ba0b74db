package cassandra

import (
	"context"
	"errors"
	"fmt"
	"strings"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

// codeSchema says that the members could not make the table, or a column of it. Nothing of the record was sent. The
// outcome is Failed.
const codeSchema = "SchemaNotMade"

// refusals are Cassandra's errors by their names in the native protocol (version 5, section 9),
// and whether a write that ends with one has certainly no effect, now or later.
//
// A coordinator says Unavailable and IsBootstrapping before it sends a write to any replica, and
// the rest of these are of the request itself. Overloaded it says when the request has waited for
// too long to begin, or, before it sends, when too many hints wait for a replica
// (StorageProxy.sendToHintedReplicas): a statement has one mutation, so nothing was sent then.
var refusals = map[int]struct {
	name    string
	certain bool
}{
	gocql.ErrCodeServer:          {name: "ServerError"},
	gocql.ErrCodeProtocol:        {name: "ProtocolError"},
	gocql.ErrCodeCredentials:     {stores.CodeUnauthorized, true},
	gocql.ErrCodeUnavailable:     {"Unavailable", true},
	gocql.ErrCodeOverloaded:      {"Overloaded", true},
	gocql.ErrCodeBootstrapping:   {"IsBootstrapping", true},
	gocql.ErrCodeTruncate:        {name: "TruncateError"},
	gocql.ErrCodeWriteTimeout:    {name: "WriteTimeout"},
	gocql.ErrCodeReadTimeout:     {name: "ReadTimeout"},
	gocql.ErrCodeReadFailure:     {name: "ReadFailure"},
	gocql.ErrCodeFunctionFailure: {name: "FunctionFailure"},
	gocql.ErrCodeWriteFailure:    {name: "WriteFailure"},
	gocql.ErrCodeCDCWriteFailure: {name: "CDCWriteFailure"},
	gocql.ErrCodeCASWriteUnknown: {name: "CASWriteUnknown"},
	gocql.ErrCodeSyntax:          {"SyntaxError", true},
	gocql.ErrCodeUnauthorized:    {stores.CodeUnauthorized, true},
	gocql.ErrCodeInvalid:         {"Invalid", true},
	gocql.ErrCodeConfig:          {"ConfigError", true},
	gocql.ErrCodeAlreadyExists:   {"AlreadyExists", true},
	gocql.ErrCodeUnprepared:      {"Unprepared", true},
}

// unsent are errors of a request that was given to no connection.
var unsent = []error{gocql.ErrNoConnections, gocql.ErrNoStreams, gocql.ErrSessionClosed, errLate}

func failed(code string, err error) error {
	return &stores.Error{Outcome: stores.Failed, Code: code, Err: err}
}

// judge says what became of an operation that ended with the error. A replica may have a write
// that its coordinator calls timed out or failed, and hands it on to the others in time: such
// a write is unknown, as is one whose answer was lost. None of the errors is about data alone:
// Invalid is also what a member says that was away when the table was made, until it has heard.
func judge(kind stores.Kind, err error) error {
	outcome := stores.Unknown
	if kind.Reads() || neverSent(err) || certain(err) {
		outcome = stores.Failed
	}
	return &stores.Error{Outcome: outcome, Code: codeOf(err), Err: fmt.Errorf("cassandra: %w", err)}
}

func neverSent(err error) bool {
	for _, one := range unsent {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}

func certain(err error) bool {
	var said gocql.RequestError
	return errors.As(err, &said) && refusals[said.Code()].certain
}

// tooLarge begins what a member says of a request that is larger than a client's may be.
const tooLarge = "CQL Message of size"

// notAuthenticated begins what a member says that can't read who its users are.
const notAuthenticated = "Unable to perform authentication"

func codeOf(err error) string {
	var said gocql.RequestError
	switch {
	case errors.Is(err, errNoPassword):
		return stores.CodeUnauthorized
	case errors.As(err, &said) && said.Code() == gocql.ErrCodeCredentials && strings.HasPrefix(said.Message(), notAuthenticated):
		return refusals[gocql.ErrCodeUnavailable].name
	case errors.As(err, &said) && said.Code() == gocql.ErrCodeInvalid && strings.HasPrefix(said.Message(), tooLarge):
		return stores.CodeTooLarge
	case errors.As(err, &said):
		if refusal, known := refusals[said.Code()]; known {
			return refusal.name
		}
		return fmt.Sprintf("Error%04X", said.Code()&0xffff)
	case errors.Is(err, gocql.ErrTimeoutNoResponse):
		return stores.CodeDeadline
	case errors.Is(err, stores.ErrTooManyRecords):
		return stores.CodeBadRecord
	case !errors.Is(err, context.DeadlineExceeded) && neverSent(err):
		return stores.CodeNoConnection
	}
	return stores.CodeOf(err)
}

// schemaCode is the code of a statement whose table could not be made.
func schemaCode(err error) string {
	switch code := codeOf(err); code {
	case stores.CodeNoConnection, stores.CodeConnectionLost:
		return code
	}
	return codeSchema
}
