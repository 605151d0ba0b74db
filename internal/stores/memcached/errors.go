package memcached

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/kvbench/kvbench/internal/stores"
)

// Codes that memcached alone has.
const (
	// codeNoMemory says that a member has no room for a record. The outcome is Failed.
	codeNoMemory = "NoMemory"
	// codeRefused says that a member didn't take a command for one. The outcome is Failed.
	codeRefused = "Refused"
)

func failed(code string, err error) *stores.Error {
	return &stores.Error{Outcome: stores.Failed, Code: code, Err: err}
}

// lost is an operation whose answer didn't come: of a write nobody knows what became.
func lost(kind stores.Kind, err error) *stores.Error {
	outcome := stores.Unknown
	if kind.Reads() {
		outcome = stores.Failed
	}
	return &stores.Error{Outcome: outcome, Code: codeOf(err), Err: fmt.Errorf("memcached: %w", err)}
}

func codeOf(err error) string {
	switch {
	case errors.Is(err, errUnauthorized):
		return stores.CodeUnauthorized
	case errors.Is(err, errProtocol):
		return stores.CodeServerError
	}
	return stores.CodeOf(err)
}

// refused is an operation that memcached answered with an error. usable says whether the
// connection can go on: after a line that it didn't understand, memcached takes a value for
// commands.
//
// A write that finds no room, or is too large, removes the item that it was to replace, so
// that no old value stays: the new one never takes effect, which is what Failed says, and
// that an item may be gone at any time is what the mode says.
func refused(kind stores.Kind, line []byte) (usable bool, err *stores.Error) {
	said := fmt.Errorf("memcached: answered %q", line[:min(len(line), 200)])
	switch {
	case bytes.HasPrefix(line, []byte("SERVER_ERROR object too large")):
		return true, &stores.Error{Outcome: stores.Failed, Code: stores.CodeTooLarge, Err: said, Answered: true}
	case bytes.HasPrefix(line, []byte("SERVER_ERROR out of memory storing object")):
		return true, failed(codeNoMemory, said)
	case bytes.HasPrefix(line, []byte("CLIENT_ERROR")), bytes.HasPrefix(line, []byte("ERROR")), bytes.Equal(line, []byte("NS")):
		return false, failed(codeRefused, said)
	case bytes.HasPrefix(line, []byte("SERVER_ERROR")):
		failure := lost(kind, said)
		failure.Code = stores.CodeServerError
		return false, failure
	}
	return false, lost(kind, fmt.Errorf("%w: %q", errProtocol, line[:min(len(line), 200)]))
}

// ofBatch is a batch of which a record was answered with an error: others may be there.
func ofBatch(line []byte) error {
	_, one := refused(stores.Insert, line)
	return &stores.Error{Outcome: stores.Unknown, Code: one.Code, Err: one.Err}
}
