package cassandra

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

// session has the buffers of one thread; the connections are the driver's.
type session struct {
	driver     *driver
	statements []statement
	names      []string // of the values that are written
	values     []any
	columns    [][]byte // of one row
	places     []any    // of the columns
	buffer     []byte   // what was read
	fields     []stores.Field
}

// maxStatements bounds what a session remembers: a workload has some 20 statements.
const maxStatements = 200

// awayPause is how long an operation takes at least for which there is no member: threads must
// not spin until one is back.
const awayPause = 20 * time.Millisecond

func (s *session) Close() error { return nil }

// Do runs the operation as one statement.
func (s *session) Do(op *stores.Op) error {
	if !time.Now().Before(op.Deadline) {
		return stores.Late("cassandra")
	}
	if op.Kind == stores.Scan && (op.Count < 1 || op.Count > math.MaxInt32) {
		return failed(stores.CodeBadOperation, fmt.Errorf("cassandra: a scan of %d records", op.Count))
	}
	ctx, cancel := context.WithDeadline(context.Background(), op.Deadline)
	defer cancel()
	statement, err := s.prepared(ctx, op)
	if err != nil {
		return err
	}
	op.Result = op.Result[:0]
	if statement == nil { // there is no such table
		if op.Kind == stores.Scan {
			return nil
		}
		return stores.NotFound("cassandra")
	}
	rows, err := s.ask(ctx, op, statement)
	if err != nil {
		if neverSent(err) {
			pause(ctx)
		}
		return judge(op.Kind, err)
	}
	if op.Kind == stores.Read && rows == 0 {
		return stores.NotFound("cassandra")
	}
	if op.WantResult {
		op.Result = append(op.Result, s.fields...)
	}
	return nil
}

func pause(ctx context.Context) {
	select {
	case <-time.After(awayPause):
	case <-ctx.Done():
	}
}

// prepared is the operation's statement; nil if its table isn't there, and it doesn't make one.
// Nothing of the operation was sent.
func (s *session) prepared(ctx context.Context, op *stores.Op) (*statement, error) {
	fields, writes := op.Fields, op.Kind == stores.Insert || op.Kind == stores.Update
	if writes {
		s.names = s.names[:0]
		for i := range op.Values {
			s.names = append(s.names, op.Values[i].Name)
		}
		fields = s.names
	} else if op.Kind == stores.Delete {
		fields = nil
	}
	for i := range s.statements {
		if s.statements[i].is(op.Kind, op.Table, fields) {
			return &s.statements[i], nil
		}
	}
	text, err := textOf(op.Kind, s.driver.keyspace, op.Table, fields, s.driver.ttl)
	if err != nil {
		return nil, failed(stores.CodeBadOperation, err)
	}
	if err := s.driver.await(ctx); err != nil {
		return nil, failed(stores.CodeNoConnection, fmt.Errorf("cassandra: %w", err))
	}
	if writes {
		if err := s.driver.tables.ensure(ctx, op.Table, fields); err != nil {
			return nil, failed(schemaCode(err), fmt.Errorf("cassandra: %w", err))
		}
	} else if there, err := s.driver.tables.has(ctx, op.Table); err != nil {
		return nil, failed(codeOf(err), fmt.Errorf("cassandra: look for table %.80q: %w", op.Table, err))
	} else if !there {
		return nil, nil
	}
	if len(s.statements) >= maxStatements {
		s.statements = s.statements[:0]
	}
	s.statements = append(s.statements, statement{op.Kind, op.Table, slices.Clone(fields), text})
	return &s.statements[len(s.statements)-1], nil
}

// ask sends the statement, to a replica of the key if one can be reached.
func (s *session) ask(ctx context.Context, op *stores.Op, statement *statement) (rows int, err error) {
	if s.driver.bound != nil {
		return s.share(op, statement)
	}
	return s.run(ctx, op, statement, "")
}

// run sends the statement to the host, or to one that gocql chooses, and takes its rows.
func (s *session) run(ctx context.Context, op *stores.Op, statement *statement, host string) (rows int, err error) {
	query := s.driver.query(op.Kind, statement.text, s.bind(op)...).RoutingKey(op.Key).SetHostID(host)
	if op.Kind == stores.Scan {
		query = query.PageSize(min(op.Count, maxPage))
	}
	answer := query.IterContext(ctx)
	s.buffer, s.fields = s.buffer[:0], s.fields[:0]
	s.reserve(len(answer.Columns()))
	for answer.Scan(s.places...) {
		if rows++; rows > op.MaxRecords() {
			_ = answer.Close() // what it would say comes second
			return rows, stores.ErrTooManyRecords
		}
		s.take(answer.Columns())
		s.renew()
	}
	return rows, answer.Close()
}

// maxPage is how many rows are asked for at once.
const maxPage = 1000

// query is one at the mode's level for such operations.
func (d *driver) query(kind stores.Kind, text string, values ...any) *gocql.Query {
	return d.client.Query(text, values...).Consistency(d.levels.of(kind)).SetKeyspace(d.keyspace).WithTimestamp(d.timestamp())
}

// bind makes the statement's parameters.
func (s *session) bind(op *stores.Op) []any {
	s.values = s.values[:0]
	if op.Kind == stores.Insert || op.Kind == stores.Update {
		for i := range op.Values {
			value := op.Values[i].Value
			if value == nil {
				value = []byte{} // which is no null
			}
			s.values = append(s.values, value)
		}
	}
	s.values = append(s.values, op.Key)
	if op.Kind == stores.Scan {
		s.values = append(s.values, int32(op.Count))
	}
	return s.values
}

// reserve makes room for a row of so many columns.
func (s *session) reserve(columns int) {
	for len(s.columns) < columns {
		s.columns = append(s.columns, nil)
	}
	s.places = s.places[:0]
	for i := range columns {
		s.places = append(s.places, &s.columns[i])
	}
	s.renew()
}

// renew leaves no column nil: gocql makes a null nil, and leaves an empty value what it was.
func (s *session) renew() {
	for i := range s.columns {
		if s.columns[i] == nil {
			s.columns[i] = []byte{}
		}
		s.columns[i] = s.columns[i][:0]
	}
}

// take appends the row's fields to the session's, without those that the record hasn't.
func (s *session) take(columns []gocql.ColumnInfo) {
	for i := range columns {
		if s.columns[i] == nil || columns[i].Name == keyColumn {
			continue
		}
		begin := len(s.buffer)
		s.buffer = append(s.buffer, s.columns[i]...)
		s.fields = append(s.fields, stores.Field{Name: columns[i].Name, Value: s.buffer[begin:len(s.buffer):len(s.buffer)]})
	}
}
