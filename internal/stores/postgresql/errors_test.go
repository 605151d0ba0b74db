package postgresql

import (
	"errors"
	"fmt"
	"io"
	"net"
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
		"the connection's end":               {stores.Delete, io.ErrUnexpectedEOF, stores.Unknown, stores.CodeConnectionLost, false},
		"a passed deadline":                  {stores.Insert, os.ErrDeadlineExceeded, stores.Unknown, "DeadlineExceeded", false},
		"a passed deadline of a scan":        {stores.Scan, os.ErrDeadlineExceeded, stores.Failed, "DeadlineExceeded", false},
	} {
		var got *stores.Error
		if !errors.As(judge(c.kind, c.err), &got) || got.Outcome != c.outcome || got.Code != c.code || got.Answered != c.answered {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// What pgconn says of a server without TLS, it says itself here.
func TestTLSThatDoesNotFitIsSaidSo(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		request := make([]byte, 8) // for TLS
		if _, err := io.ReadFull(conn, request); err == nil {
			_, _ = conn.Write([]byte("N")) // there is none
		}
	}()
	config, err := pgconn.ParseConfig("postgres://postgres@" + listener.Addr().String() + "/postgres?sslmode=require")
	if err != nil {
		t.Fatal(err)
	}
	_, refused := pgconn.ConnectConfig(t.Context(), config)
	for name, err := range map[string]error{
		"a server without TLS":       refused,
		"a certificate not accepted": &net.OpError{Op: "remote error", Err: errors.New("tls: bad certificate")},
	} {
		if got := codeOf(err); got != stores.CodeUnauthorized {
			t.Errorf("%s: %s of %v", name, got, err)
		}
	}
}
