package memcached

import (
	"errors"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// session has a connection to each member, and the buffers of one thread.
type session struct {
	links []*link
	ttl   time.Duration

	table  string
	prefix []byte // "<table>/"
	name   []byte // of the item
	key    []byte // the name as it is sent
	record []byte
	out    []byte // the request
	value  []byte // the answer's
	fields []stores.Field
	shares []share // of a batch, one for each member
}

func (s *session) Close() error {
	for _, l := range s.links {
		l.drop()
	}
	return nil
}

// Do runs the operation as one request to one member.
func (s *session) Do(op *stores.Op) error {
	now := time.Now()
	if !now.Before(op.Deadline) {
		return failed(codeDeadline, errors.New("memcached: the deadline passed before the request"))
	}
	if err := s.prepare(op, now); err != nil {
		return failed(codeBadOp, err)
	}
	l := s.links[owner(s.name, len(s.links))]
	if err := l.ready(op.Deadline); err != nil {
		return failed(codeOf(err), fmt.Errorf("memcached: connect to %s: %w", l.address, err))
	}
	if _, err := l.conn.Write(s.out); err != nil {
		l.drop()
		// It was cut short, so no member takes it for a command.
		return failed(codeOf(err), fmt.Errorf("memcached: %w", err))
	}
	line, err := readLine(l.in)
	if err != nil {
		l.drop()
		return lost(op.Kind, err)
	}
	switch string(line) {
	case "HD": // stored, or deleted
		return nil
	case "EN", "NF":
		return notFound()
	}
	if op.Kind == stores.Read && len(line) > 3 && string(line[:3]) == "VA " {
		if s.value, err = readValue(l.in, line, s.value); err != nil {
			l.drop()
			return lost(op.Kind, err)
		}
		return s.take(op)
	}
	usable, err := refused(op.Kind, line)
	if !usable {
		l.drop()
	}
	return err
}

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
		s.out = appendSet(s.out[:0], s.key, encoded, expiry(s.ttl, now), s.record)
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
	if s.fields, err = stores.DecodeRecord(s.fields[:0], s.value); err != nil {
		return failed(codeBadRecord, fmt.Errorf("memcached: item %q: %w", s.name, err))
	}
	if op.WantResult {
		op.Result = stores.AppendFields(op.Result, s.fields, op.Fields)
	}
	return nil
}
