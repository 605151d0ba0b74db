package etcd

import (
	"context"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/kvbench/kvbench/internal/stores"
)

// What a member takes in one transaction unless it is told otherwise: 128 operations
// (--max-txn-ops), and 1.5 MiB (--max-request-bytes) with what encodes them.
const (
	maxBatchRecords = 128
	maxBatchBytes   = 1 << 20
)

// MaxBatch is what fits into a transaction, of records with as many fields as usual.
func (s *session) MaxBatch() (records, bytes int) {
	if s.byField {
		return maxFields / usualFields, maxBatchBytes
	}
	return maxBatchRecords, maxBatchBytes
}

// InsertAll puts the records in one transaction: all of them, or none. Records with more fields than usual may take several.
func (s *session) InsertAll(ops []stores.Op) error {
	if err := s.useTable(ops[0].Table); err != nil {
		return &stores.Error{Outcome: stores.Failed, Code: stores.CodeBadOperation, Err: err}
	}
	now := time.Now()
	if !now.Before(ops[0].Deadline) {
		return stores.Late("etcd")
	}
	ctx, cancel := context.WithDeadline(context.Background(), ops[0].Deadline)
	defer cancel()
	var lease int64
	if s.leases != nil {
		var err error
		if lease, err = s.leases.at(ctx, now); err != nil {
			return err
		}
	}
	request := &pb.TxnRequest{Success: make([]*pb.RequestOp, 0, len(ops))}
	for i := range ops {
		key := s.appendKey(make([]byte, 0, len(s.prefix)+len(ops[i].Key)), ops[i].Key)
		if !s.byField {
			put := &pb.PutRequest{Key: key, Value: stores.EncodeRecord(nil, ops[i].Values), Lease: lease}
			request.Success = append(request.Success, &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: put}})
			continue
		}
		if len(request.Success)+len(ops[i].Values) > maxFields {
			if err := s.insert(ctx, request); err != nil {
				return err
			}
			request.Success = request.Success[:0]
		}
		request.Success = appendPuts(request.Success, key, ops[i].Values, lease)
	}
	return s.insert(ctx, request)
}

func (s *session) insert(ctx context.Context, request *pb.TxnRequest) error {
	kv := s.kv
	if s.places != nil {
		kv = s.driver.kv // a load has no use for places
	}
	if _, err := kv.Txn(ctx, request, grpc.WaitForReady(true)); err != nil {
		return writeError(err)
	}
	return nil
}
