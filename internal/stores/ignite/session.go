package ignite

import (
	"errors"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
	"github.com/kvbench/kvbench/internal/stores/partition"
)

// session has a connection to each member, or the driver's, and the buffers of one thread.
type session struct {
	affinity *affinity
	links    []*link
	places   []*conn.Places // on the connections to each member; none: its own are used
	seat     seat
	mode     string
	ttl      time.Duration
	table    *table // of the last operation

	key     []byte // as an object
	value   []byte
	request builder
	shares  []share // of a batch, by member
	turn    []int   // members
	rows    rows    // of a scan
	fields  []stores.Field
}

func (s *session) Close() error {
	for _, l := range s.links {
		l.close()
	}
	return nil
}

// Do runs the operation as one request to one member.
func (s *session) Do(op *stores.Op) error {
	if !time.Now().Before(op.Deadline) {
		return stores.Late("ignite")
	}
	if err := s.serialize(op); err != nil {
		return failed(stores.CodeBadOperation, err)
	}
	if err := s.open(op.Table, op.Deadline); err != nil {
		return failed(codeOf(err), err)
	}
	hash := hashOf(op.Key)
	if op.Kind != stores.Scan { // which all members answer
		op.Shard = s.table.shard(hash)
	}
	if s.places == nil {
		member, err := s.route(hash, op.Deadline)
		if err != nil {
			return failed(codeOf(err), err)
		}
		return s.ask(op, s.links[member])
	}
	if err := s.sit(op, hash); err != nil {
		return failed(codeOf(err), err)
	}
	defer s.seat.Leave()
	return s.ask(op, &s.seat)
}

// ask makes the operation's request.
func (s *session) ask(op *stores.Op, l asker) error {
	if op.Kind == stores.Scan {
		return s.scan(op, l)
	}
	s.request.out = s.request.out[:0]
	s.append(op, l.number())
	m, err := l.exchange(s.request.out)
	if err != nil {
		return s.failOn(op.Kind, l, err)
	}
	switch op.Kind {
	case stores.Read:
		value, there, err := m.body.value()
		switch {
		case err != nil:
			return badRecord(op, err)
		case !there:
			return stores.NotFound("ignite")
		}
		op.Result = op.Result[:0]
		s.fields, err = appendRecord(op, s.fields, value)
		return err
	case stores.Delete:
		removed := m.body.bool()
		if err := m.body.err(); err != nil {
			l.drop()
			return outcome(op.Kind, err)
		}
		if !removed {
			return stores.NotFound("ignite")
		}
	}
	return nil
}

// failOn judges a request that has no good answer. After a status the connection is as good as
// before.
func (s *session) failOn(kind stores.Kind, l asker, err error) error {
	var said *serverError
	if !errors.As(err, &said) {
		l.drop()
	} else if said.status == statusNoCache {
		s.table.made.Store(false) // all members ended since, and nothing is left
	}
	var cut *conn.UnsentError
	if errors.As(err, &cut) {
		return failed(codeOf(err), err)
	}
	return outcome(kind, err)
}

// serialize makes the key and the value.
func (s *session) serialize(op *stores.Op) error {
	if err := checkTable(op.Table); err != nil {
		return err
	}
	s.key = appendKey(s.key[:0], op.Key)
	switch op.Kind {
	case stores.Read, stores.Delete, stores.Scan:
	case stores.Insert, stores.Update:
		s.value = endValue(stores.EncodeRecord(beginValue(s.value[:0]), op.Values))
		if length := len(s.value) - headerBytes; length > maxRecordBytes {
			return fmt.Errorf("a record of %d bytes, and %d are the most", length, maxRecordBytes)
		}
	default:
		return fmt.Errorf("a %v can't be done", op.Kind)
	}
	return nil
}

// maxTableBytes bounds the name of a table.
const maxTableBytes = 200

func checkTable(name string) error {
	if name == "" || len(name) > maxTableBytes {
		return fmt.Errorf("a table's name has 1 to %d bytes", maxTableBytes)
	}
	return nil
}

// append makes the request.
func (s *session) append(op *stores.Op, number int64) {
	switch op.Kind {
	case stores.Read:
		appendGet(&s.request, number, s.table.id, s.key)
	case stores.Delete:
		appendRemove(&s.request, number, s.table.id, s.key)
	default:
		appendPut(&s.request, number, s.table.id, s.key, s.value, s.ttl)
	}
}

// route returns the member that owns the key of that hash, with a connection to it. While the
// owner isn't known, any member will do: it hands the request on.
func (s *session) route(hash int32, deadline time.Time) (member int, err error) {
	if owner := s.table.owner(hash); owner != partition.Unknown {
		return owner, s.ready(owner, deadline)
	}
	return s.anyone(int(uint32(hash)), deadline)
}

// anyone is a member that a connection can be made to, that one rather than others.
func (s *session) anyone(first int, deadline time.Time) (member int, err error) {
	var failures []error
	s.turn = conn.InTurn(s.turn[:0], s.links, first)
	for i, member := range s.turn {
		if err := s.readyUntil(member, s.links[member].Until(deadline, i == len(s.turn)-1), deadline); err != nil {
			failures = append(failures, err)
			continue
		}
		return member, nil
	}
	return 0, errors.Join(failures...)
}

func (s *session) ready(member int, deadline time.Time) error {
	return s.readyUntil(member, deadline, deadline)
}

func (s *session) readyUntil(member int, until, deadline time.Time) error {
	l := s.links[member]
	made, err := l.readyUntil(until, deadline)
	if made {
		s.affinity.learn(member, l.member)
	}
	return err
}

// appendRecord decodes a record, and hands its fields over if they are wanted. fields is used
// again.
func appendRecord(op *stores.Op, fields []stores.Field, record []byte) ([]stores.Field, error) {
	fields, err := stores.DecodeRecord(fields[:0], record)
	if err != nil {
		return fields, badRecord(op, err)
	}
	if op.WantResult {
		op.Result = stores.AppendFields(op.Result, fields, op.Fields)
	}
	return fields, nil
}

func badRecord(op *stores.Op, err error) error {
	return failed(stores.CodeBadRecord, fmt.Errorf("entry %q of %s: %w", op.Key, op.Table, err))
}
