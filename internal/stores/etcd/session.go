package etcd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc"

	"github.com/kvbench/kvbench/internal/stores"
)

// Codes of errors that are the driver's own.
const (
	codeBadRecord = "BAD_RECORD"
	codeBadOp     = "BAD_OPERATION"
)

// session keeps the requests and buffers of one thread, so that an operation allocates
// little more than gRPC does. gRPC has encoded a request before a call returns.
type session struct {
	kv           pb.KVClient
	serializable bool
	leases       *leases // nil: what is written stays for ever

	table  string
	prefix []byte
	end    []byte // behind the table's last key
	key    []byte
	value  []byte
	fields []stores.Field // what was decoded, for the memory

	get  pb.RangeRequest
	put  pb.PutRequest
	del  pb.DeleteRangeRequest
	opts [2]grpc.CallOption // the second for scans: gRPC alone takes no answer above 4 MiB
}

func (s *session) Close() error { return nil }

// Do runs the operation as one request.
func (s *session) Do(op *stores.Op) error {
	if err := s.useTable(op.Table); err != nil {
		return &stores.Error{Outcome: stores.Failed, Code: codeBadOp, Err: err}
	}
	now := time.Now()
	if !now.Before(op.Deadline) {
		// Nothing was sent, so this is certain for a write as well.
		return &stores.Error{Outcome: stores.Failed, Code: codeDeadline, Err: errors.New("the deadline passed before the request")}
	}
	ctx, cancel := context.WithDeadline(context.Background(), op.Deadline)
	defer cancel()
	s.key = append(append(s.key[:0], s.prefix...), op.Key...)

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
	return &stores.Error{Outcome: stores.Failed, Code: codeBadOp, Err: fmt.Errorf("etcd cannot do a %v", op.Kind)}
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
	s.opts = [2]grpc.CallOption{grpc.WaitForReady(true), grpc.MaxCallRecvMsgSize(math.MaxInt32)}
	return nil
}

func (s *session) read(ctx context.Context, op *stores.Op) error {
	s.get.Key, s.get.RangeEnd, s.get.Limit, s.get.Serializable = s.key, nil, 1, s.serializable
	answer, err := s.kv.Range(ctx, &s.get, s.opts[:1]...)
	if err != nil {
		return readError(err)
	}
	if len(answer.Kvs) == 0 {
		return notFound()
	}
	return s.take(op, answer.Kvs)
}

// scan reads op.Count records from op.Key on; the range ends with the table.
func (s *session) scan(ctx context.Context, op *stores.Op) error {
	if op.Count < 1 {
		return &stores.Error{Outcome: stores.Failed, Code: codeBadOp, Err: fmt.Errorf("a scan of %d records", op.Count)}
	}
	s.get.Key, s.get.RangeEnd, s.get.Limit, s.get.Serializable = s.key, s.end, int64(op.Count), s.serializable
	answer, err := s.kv.Range(ctx, &s.get, s.opts[:]...)
	if err != nil {
		return readError(err)
	}
	if len(answer.Kvs) > op.MaxRecords() {
		return &stores.Error{Outcome: stores.Failed, Code: codeBadRecord, Err: fmt.Errorf("etcd: %w", stores.ErrTooManyRecords)}
	}
	return s.take(op, answer.Kvs)
}

func (s *session) write(ctx context.Context, op *stores.Op, now time.Time) (err error) {
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
	s.del.Key = s.key
	answer, err := s.kv.DeleteRange(ctx, &s.del, s.opts[:1]...)
	if err != nil {
		return writeError(err)
	}
	if answer.Deleted == 0 {
		return notFound()
	}
	return nil
}

// take decodes the records, in order, and hands their fields over if they are wanted.
func (s *session) take(op *stores.Op, kvs []*mvccpb.KeyValue) error {
	op.Result = op.Result[:0]
	for _, kv := range kvs {
		var err error
		if s.fields, err = stores.DecodeRecord(s.fields[:0], kv.Value); err != nil {
			return &stores.Error{Outcome: stores.Failed, Code: codeBadRecord, Err: fmt.Errorf("etcd: key %q: %w", kv.Key, err)}
		}
		if op.WantResult {
			op.Result = stores.AppendFields(op.Result, s.fields, op.Fields)
		}
	}
	return nil
}

func notFound() error {
	return &stores.Error{Outcome: stores.Failed, Code: stores.CodeNotFound, Err: errors.New("etcd: no such record"), Answered: true}
}
