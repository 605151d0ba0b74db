package postgresql

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// session has the buffers of one thread, and a connection as long as nobody else waits for one.
type session struct {
	pool  *pool
	jsonb bool
	link  *link // nil: none

	names  []string // of the values that are written
	params [][]byte
	count  [8]byte
	object []byte
	buffer []byte // what was read
	fields []stores.Field
}

// binaryFormat is that of all parameters and all columns: bytes as they are.
var binaryFormat = []int16{1}

func (s *session) Close() error {
	if s.link != nil {
		s.pool.give(s.link)
		s.link = nil
	}
	s.pool.leave()
	return nil
}

// Do runs the operation as one statement.
func (s *session) Do(op *stores.Op) error {
	if !time.Now().Before(op.Deadline) {
		return stores.Late("postgresql")
	}
	if op.Kind == stores.Scan && op.Count < 1 {
		return failed(stores.CodeBadOperation, fmt.Errorf("postgresql: a scan of %d records", op.Count))
	}
	if err := s.connect(op); err != nil {
		return failed(codeOf(err), fmt.Errorf("postgresql: connect: %w", err))
	}
	if s.pool.bound.most == 0 {
		err := s.run(op)
		s.release()
		return err
	}
	begun := time.Now()
	s.link.begun.Store(&begun)
	err := s.run(op)
	s.pool.took(begun)
	s.release()
	return err
}

// Connect makes the session's own connection.
func (s *session) Connect(ctx context.Context) error {
	if s.pool.bound.most > 0 {
		return nil
	}
	return s.connect(&stores.Op{Deadline: stores.DeadlineOf(ctx, longest)})
}

// release gives the connection back where sessions share them, and else keeps it if it is sound and nobody
// waits for it.
func (s *session) release() {
	if s.link.conn.IsClosed() {
		s.pool.drop(s.link)
		s.link = nil
	} else if s.pool.bound.most > 0 || s.pool.hungry.Load() > 0 {
		s.pool.give(s.link)
		s.link = nil
	}
}

func (s *session) connect(op *stores.Op) error {
	if s.link != nil {
		if s.link.ready(op.Deadline) {
			return nil
		}
		s.pool.drop(s.link)
		s.link = nil
	}
	l, waited, err := s.pool.take(op.Deadline)
	if err != nil {
		return &stores.ConnectError{Err: err}
	}
	if s.pool.bound.most > 0 {
		op.Waited += waited
		op.Deadline = op.Deadline.Add(waited)
	}
	if !l.ready(op.Deadline) {
		s.pool.drop(l)
		return &stores.ConnectError{Err: errors.New("the new connection has ended")}
	}
	s.link = l
	return nil
}

func (s *session) run(op *stores.Op) error {
	statement, err := s.prepared(op)
	if err != nil {
		return s.unprepared(op, err)
	}
	s.bind(op)
	s.link.local = false
	// The deadline is the connection's: a context would cost a goroutine for each statement.
	answer := s.link.conn.ExecStatement(context.Background(), statement.desc, s.params, binaryFormat, binaryFormat)
	op.Result = op.Result[:0]
	s.buffer, s.fields = s.buffer[:0], s.fields[:0]
	rows := 0
	var bad error
	for answer.NextRow() {
		rows++
		switch {
		case bad != nil:
		case rows > op.MaxRecords():
			bad = stores.ErrTooManyRecords
		default:
			bad = s.take(op, statement, answer.Values())
		}
	}
	tag, err := answer.Close()
	switch {
	case err != nil:
		s.link.forget(statement, err)
		return judge(op.Kind, err)
	case s.link.local:
		return errNotOnQuorum
	case bad != nil:
		return failed(stores.CodeBadRecord, fmt.Errorf("postgresql: table %.80q, key %.80q: %w", op.Table, op.Key, bad))
	case op.Kind == stores.Read && rows == 0,
		(op.Kind == stores.Update || op.Kind == stores.Delete) && tag.RowsAffected() == 0:
		return stores.NotFound("postgresql")
	}
	if op.WantResult {
		op.Result = append(op.Result, s.fields...)
	}
	return nil
}

// prepared is the operation's statement.
func (s *session) prepared(op *stores.Op) (*statement, error) {
	fields := op.Fields
	switch op.Kind {
	case stores.Insert, stores.Update:
		s.names = s.names[:0]
		for i := range op.Values {
			s.names = append(s.names, op.Values[i].Name)
		}
		fields = s.names
		if s.jsonb {
			if err := checkNames(op.Table, fields, true); err != nil {
				return nil, failed(stores.CodeBadOperation, err)
			}
			fields = nil // an object has any
		}
	case stores.Delete:
		fields = nil
	}
	return s.link.statement(op, fields, s.jsonb)
}

// bind makes the statement's parameters.
func (s *session) bind(op *stores.Op) {
	s.params = append(s.params[:0], op.Key)
	switch {
	case op.Kind == stores.Scan:
		binary.BigEndian.PutUint64(s.count[:], uint64(op.Count))
		s.params = append(s.params, s.count[:])
	case op.Kind != stores.Insert && op.Kind != stores.Update:
	case s.jsonb:
		s.object = appendObject(s.object[:0], op.Values)
		s.params = append(s.params, s.object)
	default:
		for i := range op.Values {
			value := op.Values[i].Value
			if value == nil {
				value = []byte{} // which is no NULL
			}
			s.params = append(s.params, value)
		}
	}
}

// unprepared is an operation of which nothing was sent but the statement's text.
func (s *session) unprepared(op *stores.Op, err error) error {
	var known *stores.Error
	if errors.As(err, &known) {
		return err
	}
	if state, _ := stateOf(err); state == undefinedTable {
		if op.Kind == stores.Scan {
			op.Result = op.Result[:0]
			return nil
		}
		return stores.NotFound("postgresql")
	}
	return failed(codeOf(err), fmt.Errorf("postgresql: %w", err))
}

// take appends the row's fields to the session's. The values are copied: what the connection
// holds ends with the next message.
func (s *session) take(op *stores.Op, statement *statement, values [][]byte) error {
	for i, value := range values {
		if value == nil || i >= len(statement.columns) {
			continue // a field that the record hasn't
		}
		begin := len(s.buffer)
		switch {
		case s.jsonb && len(op.Fields) == 0:
			if err := s.takeObject(value); err != nil {
				return err
			}
			continue
		case s.jsonb:
			s.buffer = append(s.buffer, value...)
			bytes, err := plain(s.buffer[begin:])
			if err != nil {
				return err
			}
			s.field(statement.columns[i], bytes)
		case statement.columns[i] != keyColumn:
			s.buffer = append(s.buffer, value...)
			s.field(statement.columns[i], s.buffer[begin:len(s.buffer):len(s.buffer)])
		}
	}
	return nil
}

// takeObject appends the fields of a jsonb.
func (s *session) takeObject(data []byte) error {
	rest, err := cutObject(data)
	for err == nil && len(rest) > 0 {
		var name, value [2]int
		if s.buffer, name, value, rest, err = cutMember(s.buffer, rest); err != nil {
			break
		}
		var bytes []byte
		if bytes, err = plain(s.buffer[value[0]:value[1]:value[1]]); err == nil {
			s.named(s.buffer[name[0]:name[1]], bytes)
		}
	}
	return err
}

func (s *session) field(name string, value []byte) {
	s.fields = append(s.fields, stores.Field{Name: name, Value: value})
}

// named is field, with the name that the same place had before if it is this one.
func (s *session) named(name, value []byte) {
	n := len(s.fields)
	if n < cap(s.fields) {
		if before := s.fields[:n+1][n].Name; before == string(name) {
			s.field(before, value)
			return
		}
	}
	s.field(string(name), value)
}
