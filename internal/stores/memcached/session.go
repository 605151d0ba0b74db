package memcached

import (
	"bufio"
	"context"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// session has the buffers of one thread, and a connection to each member, or the driver's.
type session struct {
	driver *driver
	own    []*conn.Own    // to each member
	shared []*conn.Shared // none: its own ones are used
	turn   *conn.Turn

	table  string
	prefix []byte // "<table>/"
	name   []byte // of the item
	key    []byte // the name as it is sent
	record []byte
	out    []byte // the request
	fields []stores.Field
	shares []share // of a batch, one for each member

	answer answer
}

func (s *session) Close() error {
	for _, own := range s.own {
		own.Drop()
	}
	return nil
}

// Connect makes the session's own connections.
func (s *session) Connect(ctx context.Context) error {
	if s.shared != nil {
		return nil
	}
	for i, own := range s.own {
		if err := own.Connect(ctx); err != nil {
			return fmt.Errorf("memcached: connect to %s: %w", s.driver.addresses[i], err)
		}
	}
	return nil
}

// Do runs the operation as one request to one member.
func (s *session) Do(op *stores.Op) error {
	now := time.Now()
	if !now.Before(op.Deadline) {
		return stores.Late("memcached")
	}
	if err := s.prepare(op, now); err != nil {
		return failed(stores.CodeBadOperation, err)
	}
	member := owner(s.name, len(s.own))
	op.Shard = stores.ShardOf(member)
	s.answer.kind, s.answer.refusal = op.Kind, nil
	sent, err := s.exchange(op, member)
	switch {
	case s.answer.refusal != nil:
		return s.answer.refusal
	case err != nil && sent != conn.All:
		// A request that was cut short no member takes for a command.
		return failed(codeOf(err), fmt.Errorf("memcached: %s: %w", s.driver.addresses[member], err))
	case err != nil:
		return lost(op.Kind, err)
	case s.answer.missing:
		return stores.NotFound("memcached")
	case op.Kind == stores.Read:
		return s.take(op)
	}
	return nil
}

func (s *session) exchange(op *stores.Op, member int) (conn.Sent, error) {
	if s.shared == nil {
		return s.own[member].Do(s, op.Deadline)
	}
	span := conn.Span{Deadline: op.Deadline}
	sent, err := s.shared[member].Do(s, s.turn, &span)
	op.Waited += span.Waited
	op.Deadline = span.Deadline
	return sent, err
}

// Request is the operation's command.
func (s *session) Request() []byte { return s.out }

// Answer reads the answer to it.
func (s *session) Answer(in *bufio.Reader) error { return s.answer.read(in) }

// prepare makes the request of the operation.
func (s *session) prepare(op *stores.Op, now time.Time) (err error) {
	if op.Table != s.table || s.prefix == nil {
		if s.prefix, err = appendTable(s.prefix[:0], op.Table); err != nil {
			s.table = ""
			return err
		}
		s.table = op.Table
	}
	s.name = append(append(s.name[:0], s.prefix...), op.Key...)
	var encoded bool
	if s.key, encoded, err = appendKey(s.key[:0], s.name); err != nil {
		return err
	}
	switch op.Kind {
	case stores.Read:
		s.out = appendGet(s.out[:0], s.key, encoded)
	case stores.Insert, stores.Update:
		s.record = stores.EncodeRecord(s.record[:0], op.Values)
		s.out = appendSet(s.out[:0], s.key, encoded, expiry(s.driver.ttl, now), s.record)
	case stores.Delete:
		s.out = appendDelete(s.out[:0], s.key, encoded)
	default:
		return fmt.Errorf("memcached cannot do a %v", op.Kind)
	}
	return nil
}

// longestRelative is from when on memcached takes a number of seconds for a Unix time.
const longestRelative = 60 * 60 * 24 * 30

// expiry is a time to live as memcached takes it, 0 being for ever. Its clock has ticks of a
// second, and the one under way counts in full: a second more, so that no record goes early.
func expiry(ttl time.Duration, now time.Time) int64 {
	if ttl == 0 {
		return 0
	}
	seconds := int64((ttl+time.Second-1)/time.Second) + 1
	if seconds > longestRelative {
		return now.Unix() + seconds
	}
	return seconds
}

// take decodes the record, and hands its fields over if they are wanted.
func (s *session) take(op *stores.Op) (err error) {
	op.Result = op.Result[:0]
	if s.fields, err = stores.DecodeRecord(s.fields[:0], s.answer.value); err != nil {
		return failed(stores.CodeBadRecord, fmt.Errorf("memcached: item %q: %w", s.name, err))
	}
	if op.WantResult {
		op.Result = stores.AppendFields(op.Result, s.fields, op.Fields)
	}
	return nil
}
