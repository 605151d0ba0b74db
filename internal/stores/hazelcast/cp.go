package hazelcast

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// cpSession has a connection to one member at a time, which hands requests on to the leader.
type cpSession struct {
	links  []*link
	home   int          // the member that is asked first
	places *conn.Places // on the connections to all members; nil: its own are used
	seat   seat
	shared *cpShared

	group   *cpGroup
	table   string // that prefix is of, as it was after so many changes
	changes uint64
	prefix  []byte // of its objects' names
	object  []byte
	value   []byte
	request builder
	batch   builder
	fields  []stores.Field
	turn    []int
}

func (s *cpSession) Close() error {
	for _, l := range s.links {
		l.drop()
	}
	return nil
}

// Do runs the operation as one request.
func (s *cpSession) Do(op *stores.Op) error {
	if !time.Now().Before(op.Deadline) {
		return stores.Late("hazelcast")
	}
	if err := s.serialize(op); err != nil {
		return failed(stores.CodeBadOperation, err)
	}
	if s.places != nil {
		if err := s.seat.take(s.places, op); err != nil {
			return failed(codeOf(err), fmt.Errorf("hazelcast: %w", err))
		}
		defer s.seat.Leave()
		return s.ask(op, &s.seat)
	}
	l, err := s.route(op.Deadline)
	if err != nil {
		return failed(codeOf(err), fmt.Errorf("hazelcast: %w", err))
	}
	return s.ask(op, l)
}

// Connect makes the connection to the member that is asked first.
func (s *cpSession) Connect(ctx context.Context) error {
	if s.places != nil {
		return nil
	}
	if _, err := s.links[s.home].ready(stores.DeadlineOf(ctx, dialTimeout)); err != nil {
		return fmt.Errorf("hazelcast: %w", err)
	}
	return nil
}

// ask makes the operation's request.
func (s *cpSession) ask(op *stores.Op, l asker) error {
	if err := s.name(op.Table, op.Key, l); err != nil {
		return failOn(stores.Read, l, err) // nothing was written
	}
	s.request.out = s.request.out[:0]
	switch op.Kind {
	case stores.Read:
		appendRefGet(&s.request, l.number(), s.group, s.object)
	case stores.Delete:
		appendRefSet(&s.request, l.number(), s.group, s.object, nil, true)
	default:
		appendRefSet(&s.request, l.number(), s.group, s.object, s.value, false)
	}
	m, err := l.exchange(s.request.out)
	if err != nil {
		return failOn(op.Kind, l, err)
	}
	if op.Kind == stores.Insert || op.Kind == stores.Update {
		return nil
	}
	data, there, err := decodeValue(m)
	switch {
	case err != nil:
		l.drop()
		return outcome(op.Kind, err)
	case !there:
		return stores.NotFound("hazelcast")
	case op.Kind == stores.Delete:
		return nil
	}
	op.Result = op.Result[:0]
	s.fields, err = appendRecord(op, s.fields, data)
	return err
}

func (s *cpSession) serialize(op *stores.Op) error {
	if err := checkTable(op.Table); err != nil {
		return err
	}
	switch op.Kind {
	case stores.Read, stores.Delete:
	case stores.Insert, stores.Update:
		s.value = appendValue(s.value[:0], op)
		return checkValue(s.value)
	default:
		return fmt.Errorf("hazelcast's mode %s cannot do a %v", ModeCP, op.Kind)
	}
	return nil
}

// route returns a connection to the member that is asked first, or to the next one that can be
// reached, until that one can be again.
func (s *cpSession) route(deadline time.Time) (*link, error) {
	var failures []error
	s.turn = conn.InTurn(s.turn[:0], s.links, s.home)
	for i, member := range s.turn {
		l := s.links[member]
		if _, err := l.readyUntil(l.Until(deadline, i == len(s.turn)-1), deadline); err != nil {
			failures = append(failures, err)
			continue
		}
		return l, nil
	}
	return nil, errors.Join(failures...)
}

// name makes the object's name: the table, how often it was emptied, and the key, each of its
// bytes a character.
func (s *cpSession) name(table string, key []byte, l asker) error {
	if s.group == nil {
		if err := s.findGroup(l); err != nil {
			return err
		}
	}
	if changes := s.shared.tables.changes.Load(); s.table != table || s.changes != changes {
		generation, err := s.generation(table, l)
		if err != nil {
			return err
		}
		s.table, s.changes, s.prefix = table, changes, fmt.Appendf(s.prefix[:0], "%s/%d/", table, generation)
	}
	s.object = append(s.object[:0], s.prefix...)
	for _, b := range key {
		s.object = utf8.AppendRune(s.object, rune(b))
	}
	return nil
}

// findGroup learns the group of all objects. Who does so first asks the cluster for it, which asks
// another group: that one's leader may be gone while this one's serves.
func (s *cpSession) findGroup(l asker) error {
	if s.group = s.shared.group.Load(); s.group != nil {
		return nil
	}
	s.request.out = s.request.out[:0]
	appendCreateGroup(&s.request, l.number(), "kvbench")
	m, err := l.exchange(s.request.out)
	if err != nil {
		return err
	}
	g, err := decodeGroup(m)
	if err != nil {
		return err
	}
	s.group = &g
	s.shared.group.Store(s.group)
	return nil
}

// generation is that of the table. Who opens it first asks for it.
func (s *cpSession) generation(table string, l asker) (uint64, error) {
	if g, known := s.shared.tables.of(table); known {
		return g, nil
	}
	s.request.out = s.request.out[:0]
	appendRefGet(&s.request, l.number(), s.group, []byte(table))
	m, err := l.exchange(s.request.out)
	if err != nil {
		return 0, err
	}
	data, there, err := decodeValue(m)
	if err != nil {
		return 0, err
	}
	var generation uint64
	if there {
		value, err := valueOf(data)
		if err != nil || len(value) != 8 {
			return 0, fmt.Errorf("%w: the object %q is no table's generation: %w", errProtocol, table, err)
		}
		generation = binary.BigEndian.Uint64(value)
	}
	s.shared.tables.learn(table, generation)
	return generation, nil
}

// empty gives the table other objects.
func (s *cpSession) empty(table string, deadline time.Time) error {
	l, err := s.route(deadline)
	if err != nil {
		return err
	}
	if err := s.name(table, nil, l); err != nil {
		return err
	}
	generation, _ := s.shared.tables.of(table)
	value := endData(binary.BigEndian.AppendUint64(beginData(nil, typeByteArray), generation+1))
	s.request.out = s.request.out[:0]
	appendRefSet(&s.request, l.number(), s.group, []byte(table), value, false)
	if _, err := l.exchange(s.request.out); err != nil {
		return err
	}
	s.shared.tables.learn(table, generation+1)
	return nil
}

// cpBatchRecords is how many writes a session has under way at once: a leader refuses more than
// 200 that no majority has yet, of all clients together.
const cpBatchRecords = 10

// MaxBatch says how many records, and bytes of them, InsertAll takes.
func (s *cpSession) MaxBatch() (records, bytes int) { return cpBatchRecords, batchBytes }

// InsertAll sends all records before it reads the first answer.
func (s *cpSession) InsertAll(ops []stores.Op) error {
	deadline := ops[0].Deadline
	if !time.Now().Before(deadline) {
		return stores.Late("hazelcast")
	}
	l, err := s.route(deadline)
	if err != nil {
		return failed(codeOf(err), fmt.Errorf("hazelcast: %w", err))
	}
	s.batch.out = s.batch.out[:0]
	for i := range ops {
		if err := s.serialize(&ops[i]); err != nil {
			return failed(stores.CodeBadOperation, err)
		}
		if err := s.name(ops[i].Table, ops[i].Key, l); err != nil {
			return failOn(stores.Read, l, err) // nothing was written
		}
		appendRefSet(&s.batch, l.number(), s.group, s.object, s.value, false)
	}
	if err = l.send(s.batch.out); err == nil {
		err = l.answers(len(ops))
	}
	if err != nil {
		l.drop() // what is still to come would be taken for the answers to what is sent next
		return batchOutcome(err)
	}
	return nil
}
