package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/redis/resp"
)

// Codes of errors that are the driver's own.
const (
	codeBadOp         = "BAD_OPERATION"
	codeBadRecord     = "BAD_RECORD"
	codeDeadline      = "DeadlineExceeded"
	codeUnavailable   = "Unavailable"
	codeNoPrimary     = "NoPrimary"
	codeNotReplicated = "NotReplicated"
	codeOther         = "ERR" // an error of a server's that has no word of its own, or an unknown one
)

// refusals are the first words of Redis' errors that are worth telling apart in a report.
var refusals = []string{
	"READONLY", "MASTERDOWN", "LOADING", "NOREPLICAS", "CLUSTERDOWN", "OOM", "MISCONF", "BUSY",
	"NOPERM", "WRONGTYPE", "EXECABORT", "UNBLOCKED", "MOVED", "ASK", "TRYAGAIN",
}

func failed(code string, err error) *stores.Error {
	var known *stores.Error
	if errors.As(err, &known) {
		return known
	}
	return &stores.Error{Outcome: stores.Failed, Code: code, Err: fmt.Errorf("redis: %w", err)}
}

func unknown(code string, err error) *stores.Error {
	return &stores.Error{Outcome: stores.Unknown, Code: code, Err: fmt.Errorf("redis: %w", err)}
}

func notFound() error {
	return &stores.Error{Outcome: stores.Failed, Code: stores.CodeNotFound, Err: errors.New("redis: no such record"), Answered: true}
}

// isReply says that the server has answered, with an error.
func isReply(err error) bool {
	var reply resp.Error
	return errors.As(err, &reply)
}

// codeOf names an error.
func codeOf(err error) string {
	var reply resp.Error
	if errors.As(err, &reply) {
		switch word, _, _ := strings.Cut(reply.Error(), " "); {
		case word == "NOAUTH":
			return stores.CodeUnauthorized
		case slices.Contains(refusals, word):
			return word
		}
		return codeOther
	}
	var network net.Error
	switch {
	case isUnauthorized(err):
		return stores.CodeUnauthorized
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return codeDeadline
	}
	return codeUnavailable
}

// isUnauthorized says whether no connection was made since the server takes the password for
// wrong, or one side the other's certificate.
func isUnauthorized(err error) bool {
	return errors.Is(err, errUnauthorized) || stores.IsTLSRefusal(err)
}
