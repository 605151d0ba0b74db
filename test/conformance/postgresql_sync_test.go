package conformance

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kvbench/kvbench/internal/stores"
)

// A commit that waits for standbys is on the primary's disk already: whatever ends the wait, only
// the standbys' answer makes it a success.
func TestPostgresqlWithoutItsStandbys(t *testing.T) {
	t.Parallel()
	target, cluster := startPostgresql(t, 3, nil)
	target.Config.Mode = "sync"
	observer := observe(t, target)
	defer observer.Close()
	settle(t, observer, "all healthy", allHealthy)
	_, session := open(t, target)
	do(t, session, stores.Op{Kind: stores.Insert, Table: "waits", Key: []byte("before"), Values: record("before")})

	cluster.Kill(t, 1)
	do(t, session, stores.Op{Kind: stores.Insert, Table: "waits", Key: []byte("one is enough"), Values: record("one is enough")})
	cluster.Kill(t, 2)
	settle(t, observer, "a primary without its quorum", func(states []stores.MemberState) bool {
		return states[0].Role == stores.MemberLeader && !states[0].Healthy && states[0].Error != ""
	})

	wait := stores.Op{Kind: stores.Insert, Table: "waits", Key: []byte("overdue"), Values: record("overdue"), Deadline: time.Now().Add(time.Second)}
	if outcome := outcomeOf(t, session.Do(&wait), stores.CodeDeadline); outcome != stores.Unknown {
		t.Errorf("a write without a quorum is %v", outcome)
	}
	primary := administer(t, cluster.config.Addresses[0])
	// The server hears of the deadline after the driver's word.
	if err := untilRows(primary, "SELECT 1 WHERE NOT EXISTS (SELECT FROM pg_stat_activity WHERE "+
		"backend_type = 'client backend' AND state = 'active' AND pid <> pg_backend_pid())"); err != nil {
		t.Fatal(err)
	}
	canceled := make(chan error, 1)
	go func() {
		canceled <- untilRows(primary, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	}()
	wait.Key, wait.Deadline = []byte("canceled"), time.Now().Add(opTimeout)
	waited := session.Do(&wait)
	if err := <-canceled; err != nil {
		t.Error(err)
	}
	if outcome := outcomeOf(t, waited, "NotOnQuorum"); outcome != stores.Unknown {
		t.Errorf("a write whose wait was canceled is %v", outcome)
	}

	cluster.Start(t, 2)
	do(t, session, stores.Op{Kind: stores.Insert, Table: "waits", Key: []byte("after"), Values: record("after")})
	cluster.Start(t, 1)
	settle(t, observer, "all healthy again", allHealthy)
	for _, key := range []string{"before", "one is enough", "overdue", "canceled", "after"} {
		do(t, session, stores.Op{Kind: stores.Read, Table: "waits", Key: []byte(key)})
	}
}

func outcomeOf(t *testing.T, err error, code string) stores.Outcome {
	t.Helper()
	var failure *stores.Error
	if !errors.As(err, &failure) || failure.Code != code {
		t.Fatalf("%v, want %s", err, code)
	}
	return failure.Outcome
}

// administer is a connection of the superuser's.
func administer(t *testing.T, address string) *pgconn.PgConn {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgconn.Connect(t.Context(), "host="+host+" port="+port+" user=postgres dbname=postgres sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return conn
}

// untilRows asks again and again until an answer has rows.
func untilRows(conn *pgconn.PgConn, query string) error {
	ctx, cancel := context.WithTimeout(context.Background(), settleTimeout)
	defer cancel()
	for {
		results, err := conn.Exec(ctx, query).ReadAll()
		if err != nil || len(results[0].Rows) > 0 {
			return err
		}
	}
}

// A table that somebody made as YCSB says is used as it is, and names are no SQL.
func TestPostgresqlWithTablesAndNamesOfAnyKind(t *testing.T) {
	t.Parallel()
	target, cluster := startPostgresql(t, 1, nil)
	conn := administer(t, cluster.config.Addresses[0])
	if err := conn.Exec(t.Context(), "CREATE TABLE usertable (YCSB_KEY VARCHAR(255) PRIMARY KEY, FIELD0 TEXT, FIELD1 TEXT)").Close(); err != nil {
		t.Fatal(err)
	}
	const hostile = `"; DROP TABLE usertable; --\'$1`
	for _, mode := range []string{"async", "async-jsonb"} {
		config := target.Config
		config.Mode = mode
		_, session := open(t, Target{Entry: target.Entry, Config: config})
		tables := map[string][]stores.Field{mode + hostile: {{Name: hostile, Value: []byte(hostile)}, {Name: `\x00é`, Value: []byte(`\x00`)}}}
		if mode == "async" {
			tables["usertable"] = record("text")
		}
		for table, fields := range tables {
			do(t, session, stores.Op{Kind: stores.Insert, Table: table, Key: []byte("user1"), Values: fields})
			do(t, session, stores.Op{Kind: stores.Update, Table: table, Key: []byte("user1"), Values: fields[:1]})
			if op := do(t, session, stores.Op{Kind: stores.Read, Table: table, Key: []byte("user1")}); !sameFields(op.Result, fields) {
				t.Errorf("%s, table %s: %q", mode, table, op.Result)
			}
			if op := do(t, session, stores.Op{Kind: stores.Scan, Table: table, Key: []byte("user"), Count: 5, Fields: []string{fields[1].Name}}); !sameFields(op.Result, fields[1:]) {
				t.Errorf("%s, scan of table %s: %q", mode, table, op.Result)
			}
		}
		for _, op := range []stores.Op{
			{Kind: stores.Insert, Table: "null\x00", Key: []byte("k"), Values: record("v")},
			{Kind: stores.Insert, Table: "fields", Key: []byte("k"), Values: []stores.Field{{Name: "null\x00"}}},
			{Kind: stores.Scan, Table: "usertable", Key: []byte("k")},
		} {
			if got := code(t, session, op); got != stores.CodeBadOperation {
				t.Errorf("%s: %+v: %s", mode, op, got)
			}
		}
	}
}
