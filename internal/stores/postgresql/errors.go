package postgresql

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kvbench/kvbench/internal/stores"
)

// codeNotOnQuorum says that the primary has a commit, and that too few standbys acknowledged it. The outcome is
// Unknown.
const codeNotOnQuorum = "NotOnQuorum"

// refusedTLS is what pgconn says of a server that has no TLS: https://github.com/jackc/pgx/blob/v5.12.0/pgconn/pgconn.go,
// startTLS.
const refusedTLS = "server refused TLS connection"

// States of SQL that are worth a name in a report, or that the driver acts on.
const (
	undefinedTable  = "42P01"
	undefinedColumn = "42703"
)

var states = map[string]string{
	"25006": "ReadOnly", "28000": stores.CodeUnauthorized, "28P01": stores.CodeUnauthorized, "3D000": "NoDatabase",
	"40001": "Serialization", "40P01": "Deadlock", "42501": "Forbidden",
	"53100": "DiskFull", "53200": "OutOfMemory", "53300": "TooManyConnections", "55P03": "LockNotAvailable",
	"57014": "Canceled", "57P01": "Shutdown", "57P02": "Crash", "57P03": "StartingUp",
	undefinedTable: "NoTable", undefinedColumn: "NoColumn",
}

func failed(code string, err error) error {
	return &stores.Error{Outcome: stores.Failed, Code: code, Err: err}
}

// errNotOnQuorum is of a commit that the primary alone has, or had when the wait was given up.
var errNotOnQuorum = &stores.Error{
	Outcome: stores.Unknown, Code: codeNotOnQuorum, Err: errors.New("postgresql: the commit waited for standbys in vain"),
}

// judge says what became of a statement that was sent and ended with the error.
//
// An error of the severity ERROR ends the statement's transaction: it never takes effect, since
// PostgreSQL reports none of that severity once a commit is written. FATAL and PANIC end the
// connection or the server, perhaps behind the commit, and so may anything that ends the
// connection from outside.
func judge(kind stores.Kind, err error) error {
	outcome := stores.Unknown
	state, severity := stateOf(err)
	if severity == "ERROR" || kind.Reads() || pgconn.SafeToRetry(err) {
		outcome = stores.Failed
	}
	return &stores.Error{Outcome: outcome, Code: codeOf(err), Err: fmt.Errorf("postgresql: %w", err), Answered: severity == "ERROR" && aboutData(state)}
}

// aboutData is of errors that lie in what was asked, such as a value that the column doesn't
// take: classes 22 and 23, and a limit of the program's, 54.
func aboutData(state string) bool {
	return len(state) == 5 && (state[:2] == "22" || state[:2] == "23" || state[:2] == "54")
}

func stateOf(err error) (state, severity string) {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return said.Code, said.SeverityUnlocalized
	}
	return "", ""
}

func codeOf(err error) string {
	if state, _ := stateOf(err); state != "" {
		if name, ok := states[state]; ok {
			return name
		}
		return "SQL" + state[:min(len(state), 5)]
	}
	switch {
	case strings.Contains(err.Error(), refusedTLS):
		return stores.CodeUnauthorized
	case errors.Is(err, errStandby):
		return stores.CodeNoPrimary
	}
	return stores.CodeOf(err)
}
