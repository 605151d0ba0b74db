package etcd

import (
	"context"
	"fmt"
	"math"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// session keeps the requests and buffers of one thread, so that an operation allocates
// little more than gRPC does. gRPC has encoded a request before a call returns.
type session struct {
	*driver
	own    *clientv3.Client // nil where sessions share connections
	making *making          // of own
	kv     pb.KVClient      // of own, or of the connection on which the operation has its place
	turn   *conn.Turn

	table  string
	prefix []byte
	end    []byte // behind the table's last key
	key    []byte
	value  []byte
	fields []stores.Field // what was decoded, for the memory
	// perRecord is how many fields a scan takes records to have; 0 in modes without fields.
	perRecord int

	get  pb.RangeRequest
	put  pb.PutRequest
	del  pb.DeleteRangeRequest
	opts [2]grpc.CallOption // the second for scans: gRPC alone takes no answer above 4 MiB
}

// Connect makes the session's own connections.
func (s *session) Connect(ctx context.Context) error {
	if s.own == nil {
		return nil
	}
	s.own.ActiveConnection().Connect()
	if err := s.making.await(ctx, len(s.addresses)); err != nil {
		return fmt.Errorf("etcd: connect to the members: %w", err)
	}
	return nil
}

func (s *session) Close() error {
	if s.own == nil {
		return nil
	}
	return closeClient(s.own)
}

// Do runs the operation as one request.
func (s *session) Do(op *stores.Op) error {
	if err := s.useTable(op.Table); err != nil {
		return &stores.Error{Outcome: stores.Failed, Code: stores.CodeBadOperation, Err: err}
	}
	s.key = s.appendKey(s.key[:0], op.Key)
	if s.places == nil {
		return s.ask(op)
	}
	if err := s.prepare(op); err != nil {
		return err
	}
	for {
		line, err := s.place(op)
		if err != nil {
			return err
		}
		err = s.ask(op)
		if !leave(line, s.turn, err) {
			return err
		}
	}
}

// prepare waits for what isn't to be waited for at a place, where others wait for that.
func (s *session) prepare(op *stores.Op) (err error) {
	ctx, cancel := context.WithDeadline(context.Background(), op.Deadline)
	defer cancel()
	if s.users != nil {
		if _, err := s.users.ready(ctx); err != nil {
			return writeError(err)
		}
	}
	if s.leases != nil && (op.Kind == stores.Insert || op.Kind == stores.Update) {
		_, err = s.leases.at(ctx, time.Now())
	}
	return err
}

// place waits for a place on a connection. Nothing was sent when it fails.
func (s *session) place(op *stores.Op) (*conn.Line, error) {
	if !time.Now().Before(op.Deadline) {
		return nil, late()
	}
	span := conn.Span{Deadline: op.Deadline}
	line, err := s.places.Take(s.turn, &span)
	op.Waited += span.Waited
	op.Deadline = span.Deadline
	if err != nil {
		return nil, &stores.Error{Outcome: stores.Failed, Code: stores.CodeNoConnection, Err: fmt.Errorf("etcd: %w", err)}
	}
	s.kv = line.Link.(*link).kv
	return line, nil
}

// late is of an operation of which nothing was sent, so that it is certain for a write as well.
func late() error {
	return stores.Late("etcd")
}

// ask makes the request.
func (s *session) ask(op *stores.Op) error {
	now := time.Now()
	if !now.Before(op.Deadline) {
		return late()
	}
	ctx, cancel := context.WithDeadline(context.Background(), op.Deadline)
	defer cancel()
	switch op.Kind {
	case stores.Read:
		return s.read(ctx, op)
	case stores.Scan:
		return s.scan(ctx, op)
	case stores.Insert, stores.Update:
		return s.write(ctx, op, now)
	case stores.Delete:
		return s.remove(ctx)
	}
	return &stores.Error{Outcome: stores.Failed, Code: stores.CodeBadOperation, Err: fmt.Errorf("etcd cannot do a %v", op.Kind)}
}

func (s *session) useTable(table string) error {
	if table == s.table && table != "" {
		return nil
	}
	prefix, err := tablePrefix(nil, table)
	if err != nil {
		return err
	}
	s.table, s.prefix, s.end = table, prefix, prefixEnd(prefix)
	// A shared connection isn't made again: there is nothing to wait for.
	s.opts = [2]grpc.CallOption{grpc.WaitForReady(s.places == nil), grpc.MaxCallRecvMsgSize(math.MaxInt32)}
	return nil
}

func (s *session) read(ctx context.Context, op *stores.Op) error {
	if s.byField {
		return s.readFields(ctx, op)
	}
	s.get.Key, s.get.RangeEnd, s.get.Limit, s.get.Serializable = s.key, nil, 1, s.serializable
	answer, err := s.kv.Range(ctx, &s.get, s.opts[:1]...)
	if err != nil {
		return readError(err)
	}
	if len(answer.Kvs) == 0 {
		return stores.NotFound("etcd")
	}
	return s.take(op, answer.Kvs)
}

// scan reads op.Count records from op.Key on; the range ends with the table.
func (s *session) scan(ctx context.Context, op *stores.Op) error {
	if s.byField {
		return s.scanFields(ctx, op)
	}
	if op.Count < 1 {
		return badScan(op.Count)
	}
	s.get.Key, s.get.RangeEnd, s.get.Limit, s.get.Serializable = s.key, s.end, int64(op.Count), s.serializable
	answer, err := s.kv.Range(ctx, &s.get, s.opts[:]...)
	if err != nil {
		return readError(err)
	}
	if len(answer.Kvs) > op.MaxRecords() {
		return &stores.Error{Outcome: stores.Failed, Code: stores.CodeBadRecord, Err: fmt.Errorf("etcd: %w", stores.ErrTooManyRecords)}
	}
	return s.take(op, answer.Kvs)
}

func (s *session) write(ctx context.Context, op *stores.Op, now time.Time) (err error) {
	if s.byField {
		return s.writeFields(ctx, op, now)
	}
	if s.leases != nil {
		if s.put.Lease, err = s.leases.at(ctx, now); err != nil {
			return err
		}
	}
	s.value = stores.EncodeRecord(s.value[:0], op.Values)
	s.put.Key, s.put.Value = s.key, s.value
	if _, err = s.kv.Put(ctx, &s.put, s.opts[:1]...); err != nil {
		return writeError(err)
	}
	return nil
}

func (s *session) remove(ctx context.Context) error {
	if s.del.Key = s.key; s.byField {
		s.del.Key, s.del.RangeEnd = s.recordRange()
	}
	answer, err := s.kv.DeleteRange(ctx, &s.del, s.opts[:1]...)
	if err != nil {
		return writeError(err)
	}
	if answer.Deleted == 0 {
		return stores.NotFound("etcd")
	}
	return nil
}

// take decodes the records, in order, and hands their fields over if they are wanted.
func (s *session) take(op *stores.Op, kvs []*mvccpb.KeyValue) error {
	op.Result = op.Result[:0]
	for _, kv := range kvs {
		var err error
		if s.fields, err = stores.DecodeRecord(s.fields[:0], kv.Value); err != nil {
			return badRecord(kv.Key, err)
		}
		if op.WantResult {
			op.Result = stores.AppendFields(op.Result, s.fields, op.Fields)
		}
	}
	return nil
}
