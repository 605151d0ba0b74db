package postgresql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// maxStatements bounds what a connection prepares: a workload has some 20 statements.
const maxStatements = 200

// link is a connection and the statements that are prepared on it. One session has it at a time.
type link struct {
	conn     *pgconn.PgConn
	peek     *conn.Peek
	prepared []*statement
	names    int
	// begun is when the statement that is under way began, where connections are shared; nil without one.
	begun atomic.Pointer[time.Time]
	// local is set when a commit was told to wait for standbys no longer.
	local bool
}

// statement is a prepared one.
type statement struct {
	kind    stores.Kind
	table   string
	fields  []string // nil: all
	desc    *pgconn.StatementDescription
	columns []string // of its rows
}

// dial connects before ctx ends.
func dial(ctx context.Context, config *pgconn.Config) (*link, error) {
	l := &link{}
	config = config.Copy()
	config.OnNotice = func(_ *pgconn.PgConn, notice *pgconn.Notice) {
		// Only this function says so, in whatever language. The commit goes on to succeed.
		l.local = l.local || notice.Routine == "SyncRepWaitForLSN"
	}
	var err error
	if l.conn, err = pgconn.ConnectConfig(ctx, config); err != nil {
		return nil, err
	}
	// What follows a handshake has been read with the answer to the password: between statements nothing lies in
	// the socket.
	if l.peek, err = conn.NewPeek(l.conn.Conn()); err != nil {
		return nil, errors.Join(err, l.conn.Close(ctx))
	}
	return l, nil
}

// ready says whether the connection was sound a moment ago, and gives it the deadline. A server
// that ended has closed it, which shows before anything is sent.
func (l *link) ready(deadline time.Time) bool {
	if l.conn.IsClosed() || l.conn.Conn().SetDeadline(deadline) != nil {
		return false
	}
	return l.peek.Quiet()
}

// close says goodbye, without waiting for an answer.
func (l *link) close() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = l.conn.Close(ctx) // there is nobody to tell
}

// statement returns the operation's, prepared when it wasn't yet. Nothing of the operation has
// been done when it fails.
func (l *link) statement(op *stores.Op, fields []string, jsonb bool) (*statement, error) {
	for _, s := range l.prepared {
		if s.kind == op.Kind && s.table == op.Table && slices.Equal(s.fields, fields) {
			return s, nil
		}
	}
	sql, err := statementOf(op.Kind, op.Table, fields, jsonb)
	if err != nil {
		return nil, failed(stores.CodeBadOperation, err)
	}
	desc, err := l.prepare(sql)
	writes := op.Kind == stores.Insert || op.Kind == stores.Update && len(fields) > 0
	if state, _ := stateOf(err); state == undefinedColumn && writes || state == undefinedTable && op.Kind == stores.Insert {
		if err := l.exec(schemaOf(op.Table, fields, jsonb, state == undefinedColumn)); err != nil {
			return nil, fmt.Errorf("make table %.80q: %w", op.Table, err)
		}
		desc, err = l.prepare(sql)
	}
	if err != nil {
		return nil, err
	}
	s := &statement{kind: op.Kind, table: op.Table, fields: slices.Clone(fields), desc: desc}
	for _, field := range desc.Fields {
		s.columns = append(s.columns, field.Name)
	}
	l.prepared = append(l.prepared, s)
	return s, nil
}

func (l *link) prepare(sql string) (*pgconn.StatementDescription, error) {
	if len(l.prepared) >= maxStatements {
		if err := l.exec("DEALLOCATE ALL"); err != nil {
			return nil, err
		}
		l.prepared = nil
	}
	l.names++
	return l.conn.Prepare(context.Background(), fmt.Sprintf("s%d", l.names), sql, nil)
}

// exec runs commands before the connection's deadline.
func (l *link) exec(sql string) error {
	return l.conn.Exec(context.Background(), sql).Close()
}

// forget lets the statement be prepared anew if it ended with an error that says that its table
// was dropped or altered, or that it is no more.
func (l *link) forget(s *statement, err error) {
	switch state, _ := stateOf(err); state {
	case undefinedTable, undefinedColumn, "0A000", "26000":
		l.prepared = slices.DeleteFunc(l.prepared, func(one *statement) bool { return one == s })
	}
}
