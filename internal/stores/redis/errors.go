package redis

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/redis/resp"
)

// Codes that Redis alone has, beside the refusals.
const (
	// codeNotReplicated says that fewer replicas than the mode waits for have acknowledged a write in time. The
	// outcome is Unknown.
	codeNotReplicated = "NotReplicated"
	// codeOther says that the server answered with an error whose first word is none of the refusals.
	codeOther = "ERR"
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
	switch {
	case isUnauthorized(err):
		return stores.CodeUnauthorized
	case errors.Is(err, resp.ErrProtocol):
		return stores.CodeServerError
	}
	return stores.CodeOf(err)
}

// isUnauthorized says whether no connection was made since the server takes the password for
// wrong, or one side the other's certificate.
func isUnauthorized(err error) bool {
	return errors.Is(err, errUnauthorized) || stores.IsTLSRefusal(err)
}
