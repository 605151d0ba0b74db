package hazelcast

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
	"github.com/kvbench/kvbench/internal/stores/partition"
)

// maxTableBytes bounds the name of a map.
const maxTableBytes = 1024

// session has a connection to each member, or the driver's, and the buffers of one thread.
type session struct {
	clusterView *clusterView
	links       []*link
	places      []*conn.Places // on the connections to each member; none: its own are used
	seat        seat
	ttl         time.Duration

	key     []byte // serialized
	value   []byte
	request builder
	shares  []share // of a batch, by member
	turn    []int   // members
	rows    rows    // of a scan
	fields  []stores.Field
}

func (s *session) Close() error {
	for _, l := range s.links {
		l.drop()
	}
	return nil
}

// Do runs the operation as one request to one member.
func (s *session) Do(op *stores.Op) error {
	if !time.Now().Before(op.Deadline) {
		return stores.Late("hazelcast")
	}
	if err := s.serialize(op); err != nil {
		return failed(stores.CodeBadOperation, err)
	}
	if op.Kind != stores.Scan { // which all members answer
		op.Shard = s.clusterView.shard(s.key)
	}
	if s.places == nil {
		member, partition, err := s.route(op.Deadline)
		if err != nil {
			return failed(codeOf(err), fmt.Errorf("hazelcast: %w", err))
		}
		return s.ask(op, s.links[member], partition)
	}
	partition, err := s.sit(op)
	if err != nil {
		return failed(codeOf(err), fmt.Errorf("hazelcast: %w", err))
	}
	defer s.seat.Leave()
	return s.ask(op, &s.seat, partition)
}

// Connect makes the session's own connections.
func (s *session) Connect(ctx context.Context) error {
	if s.places != nil {
		return nil
	}
	for member := range s.links {
		if err := s.ready(member, stores.DeadlineOf(ctx, dialTimeout)); err != nil {
			return fmt.Errorf("hazelcast: %w", err)
		}
	}
	return nil
}

// sit waits for a place on a connection to the member that owns the key, or to any that can be reached
// while the owner isn't known, and returns the key's partition.
func (s *session) sit(op *stores.Op) (at int32, err error) {
	if count := s.clusterView.partitions(); count > 0 {
		at = partitionOf(s.key, count)
		if owner := s.clusterView.table.Owner(int(at)); owner != partition.Unknown {
			return at, s.seat.take(s.places[owner], op)
		}
	}
	var failures []error
	for i := range s.places {
		if err := s.seat.take(s.places[(int(at)+i)%len(s.places)], op); err != nil {
			failures = append(failures, err)
			continue
		}
		return partitionOf(s.key, s.seat.wire.said.partitions), nil
	}
	return 0, errors.Join(failures...)
}

// ask makes the operation's request.
func (s *session) ask(op *stores.Op, l asker, partition int32) error {
	if op.Kind == stores.Scan {
		return s.scan(op, l)
	}
	s.request.out = s.request.out[:0]
	s.append(op, l.number(), partition)
	m, err := l.exchange(s.request.out)
	if err != nil {
		return failOn(op.Kind, l, err)
	}
	switch op.Kind {
	case stores.Read, stores.Delete:
		data, there, err := decodeValue(m)
		if err != nil {
			l.drop()
			return outcome(op.Kind, err)
		}
		if !there {
			return stores.NotFound("hazelcast")
		}
		if op.Kind == stores.Read {
			op.Result = op.Result[:0]
			s.fields, err = appendRecord(op, s.fields, data)
			return err
		}
	}
	return nil
}

// failOn judges a request that has no good answer. After an exception the connection is as good
// as before.
func failOn(kind stores.Kind, l asker, err error) error {
	var said *serverError
	var sql *sqlError
	if !errors.As(err, &said) && !errors.As(err, &sql) {
		l.drop()
	}
	var cut *conn.UnsentError
	if errors.As(err, &cut) {
		return failed(codeOf(err), fmt.Errorf("hazelcast: %w", err))
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
		s.value = appendValue(s.value[:0], op)
		return checkValue(s.value)
	default:
		return fmt.Errorf("hazelcast cannot do a %v", op.Kind)
	}
	return nil
}

// appendValue is the record as a value.
func appendValue(value []byte, op *stores.Op) []byte {
	return endData(stores.EncodeRecord(beginData(value, typeByteArray), op.Values))
}

func checkValue(value []byte) error {
	if len(value) > maxRecordBytes {
		return fmt.Errorf("hazelcast: a record of %d bytes, and %d are the most", len(value), maxRecordBytes)
	}
	return nil
}

func checkTable(table string) error {
	if table == "" || len(table) > maxTableBytes {
		return fmt.Errorf("hazelcast: a table's name has 1 to %d bytes", maxTableBytes)
	}
	return nil
}

// append makes the request.
func (s *session) append(op *stores.Op, number int64, partition int32) {
	switch op.Kind {
	case stores.Read:
		appendGet(&s.request, number, partition, op.Table, s.key)
	case stores.Delete:
		appendRemove(&s.request, number, partition, op.Table, s.key)
	default:
		appendSet(&s.request, number, partition, op.Table, s.key, s.value, s.ttl)
	}
}

// route returns the member that owns the key, with a connection to it, and the key's
// partition. While the owner isn't known, any member will do: it hands the request on.
func (s *session) route(deadline time.Time) (member int, at int32, err error) {
	if count := s.clusterView.partitions(); count > 0 {
		at = partitionOf(s.key, count)
		if owner := s.clusterView.table.Owner(int(at)); owner != partition.Unknown {
			return owner, at, s.ready(owner, deadline)
		}
	}
	var failures []error
	s.turn = conn.InTurn(s.turn[:0], s.links, int(at))
	for i, member := range s.turn {
		if err := s.readyUntil(member, s.links[member].Until(deadline, i == len(s.turn)-1), deadline); err != nil {
			failures = append(failures, err)
			continue
		}
		return member, partitionOf(s.key, s.links[member].said.partitions), nil
	}
	return 0, 0, errors.Join(failures...)
}

func (s *session) ready(member int, deadline time.Time) error {
	return s.readyUntil(member, deadline, deadline)
}

func (s *session) readyUntil(member int, until, deadline time.Time) error {
	l := s.links[member]
	made, err := l.readyUntil(until, deadline)
	if made {
		s.clusterView.learn(member, l.said)
	}
	return err
}

// appendRecord decodes a record, and hands its fields over if they are wanted. fields is used
// again.
func appendRecord(op *stores.Op, fields []stores.Field, data []byte) ([]stores.Field, error) {
	record, err := valueOf(data)
	if err == nil {
		fields, err = stores.DecodeRecord(fields[:0], record)
	}
	if err != nil {
		return fields, failed(stores.CodeBadRecord, fmt.Errorf("hazelcast: entry %q of %s: %w", op.Key, op.Table, err))
	}
	if op.WantResult {
		op.Result = stores.AppendFields(op.Result, fields, op.Fields)
	}
	return fields, nil
}
