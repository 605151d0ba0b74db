package postgresql

import (
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestWhatBecameOfAStatement(t *testing.T) {
	said := func(severity, state string) error {
		return fmt.Errorf("said: %w", &pgconn.PgError{Severity: "übersetzt", SeverityUnlocalized: severity, Code: state, Message: "m"})
	}
	for name, c := range map[string]struct {
		kind     stores.Kind
		err      error
		outcome  stores.Outcome
		code     string
		answered bool
	}{
		"a deadlock":                         {stores.Update, said("ERROR", "40P01"), stores.Failed, "Deadlock", false},
		"a full disk":                        {stores.Insert, said("ERROR", "53100"), stores.Failed, "DiskFull", false},
		"a canceled statement":               {stores.Update, said("ERROR", "57014"), stores.Failed, "Canceled", false},
		"a value that the column can't hold": {stores.Insert, said("ERROR", "22021"), stores.Failed, "SQL22021", true},
		"a key that the index can't hold":    {stores.Insert, said("ERROR", "54000"), stores.Failed, "SQL54000", true},
		"a standby":                          {stores.Insert, said("ERROR", "25006"), stores.Failed, "ReadOnly", false},
		"a shutdown":                         {stores.Update, said("FATAL", "57P01"), stores.Unknown, "Shutdown", false},
		"another process crashed":            {stores.Update, said("FATAL", "57P02"), stores.Unknown, "Crash", false},
		"a panic":                            {stores.Update, said("PANIC", "XX000"), stores.Unknown, "SQLXX000", false},
		"a shutdown of a read":               {stores.Read, said("FATAL", "57P01"), stores.Failed, "Shutdown", false},
		"a long state":                       {stores.Read, said("ERROR", "0123456789"), stores.Failed, "SQL01234", false},
		"the connection's end":               {stores.Delete, io.ErrUnexpectedEOF, stores.Unknown, "Unavailable", false},
		"a passed deadline":                  {stores.Insert, os.ErrDeadlineExceeded, stores.Unknown, "DeadlineExceeded", false},
		"a passed deadline of a scan":        {stores.Scan, os.ErrDeadlineExceeded, stores.Failed, "DeadlineExceeded", false},
	} {
		var got *stores.Error
		if !errors.As(judge(c.kind, c.err), &got) || got.Outcome != c.outcome || got.Code != c.code || got.Answered != c.answered {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
