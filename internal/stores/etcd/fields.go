package etcd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/kvbench/kvbench/internal/stores"
)

// A record of the modes with fields is several keys: "<table>/<key>", the separator and the field's name, for each field. A zero
// byte of the record's key is written as two bytes, so that no key has the separator. The keys of a record follow each other, and
// records are in the order of their keys.
const (
	zeroByte     = "\x00"
	escapedZero  = "\x00\xff"
	separator    = "\x00\x01"
	behindFields = "\x00\x02" // after the record's key: behind all its fields
)

// appendKey appends a record's key to its table's prefix.
func (s *session) appendKey(to, key []byte) []byte {
	to = append(to, s.prefix...)
	if !s.byField || bytes.IndexByte(key, 0) < 0 {
		return append(to, key...)
	}
	return append(to, bytes.ReplaceAll(key, []byte(zeroByte), []byte(escapedZero))...)
}

// maxFields is what a member takes in one transaction unless it is told otherwise (--max-txn-ops).
const maxFields = 128

// usualFields is how many fields a record is taken to have before one was seen.
const usualFields = 10

// readFields reads one field, or the whole record where more are wanted.
func (s *session) readFields(ctx context.Context, op *stores.Op) error {
	s.get.Limit, s.get.Serializable, s.get.Revision = 0, s.serializable, 0
	if len(op.Fields) == 1 {
		s.get.Key, s.get.RangeEnd = s.fieldKey(op.Fields[0]), nil
	} else {
		s.get.Key, s.get.RangeEnd = s.recordRange()
	}
	answer, err := s.kv.Range(ctx, &s.get, s.opts[:1]...)
	if err != nil {
		return readError(err)
	}
	if len(answer.Kvs) == 0 {
		return stores.NotFound("etcd")
	}
	op.Result, s.fields = op.Result[:0], s.fields[:0]
	for _, kv := range answer.Kvs {
		record, field, err := s.split(kv.Key)
		if err == nil && !bytes.Equal(record, s.key) {
			err = errors.New("a key of another record")
		}
		if err != nil {
			return badRecord(kv.Key, err)
		}
		s.fields = append(s.fields, stores.Field{Name: string(field), Value: kv.Value})
	}
	if op.WantResult {
		op.Result = stores.AppendFields(op.Result, s.fields, op.Fields)
	}
	return nil
}

// scanFields reads op.Count records from op.Key on. One request suffices where all records have as many fields as the last one
// that was seen. Else another request has the rest.
func (s *session) scanFields(ctx context.Context, op *stores.Op) error {
	if op.Count < 1 {
		return badScan(op.Count)
	}
	op.Result, s.fields = op.Result[:0], s.fields[:0]
	s.get.Key, s.get.RangeEnd, s.get.Serializable, s.get.Revision = s.key, s.end, s.serializable, 0
	records, fields := 0, 0
	var last []byte
	for {
		// One key more shows that the last record is whole.
		s.get.Limit = int64(max(op.Count-records, 1)*s.perRecord) + 1
		answer, err := s.kv.Range(ctx, &s.get, s.opts[:]...)
		if err != nil {
			return readError(err)
		}
		if int64(len(answer.Kvs)) > s.get.Limit {
			return &stores.Error{Outcome: stores.Failed, Code: stores.CodeBadRecord, Err: fmt.Errorf("etcd: %w", stores.ErrTooManyRecords)}
		}
		for _, kv := range answer.Kvs {
			record, field, err := s.split(kv.Key)
			if err != nil {
				return badRecord(kv.Key, err)
			}
			if records == 0 || !bytes.Equal(record, last) {
				if records > 0 {
					s.perRecord = min(fields, maxFields)
				}
				if records == op.Count {
					return nil
				}
				records, fields, last = records+1, 0, record
			}
			fields++
			if op.WantResult {
				s.fields = append(s.fields[:0], stores.Field{Name: string(field), Value: kv.Value})
				op.Result = stores.AppendFields(op.Result, s.fields, op.Fields)
			}
		}
		if !answer.More || len(answer.Kvs) == 0 {
			return nil
		}
		s.get.Key = append(bytes.Clone(answer.Kvs[len(answer.Kvs)-1].Key), 0)
		if !s.serializable { // another member may not have come so far yet
			s.get.Revision = answer.Header.Revision
		}
	}
}

// writeFields puts the fields that the operation has, all of them or none.
func (s *session) writeFields(ctx context.Context, op *stores.Op, now time.Time) (err error) {
	var lease int64
	if s.leases != nil {
		if lease, err = s.leases.at(ctx, now); err != nil {
			return err
		}
	}
	request := &pb.TxnRequest{Success: appendPuts(nil, s.key, op.Values, lease)}
	if _, err = s.kv.Txn(ctx, request, s.opts[:1]...); err != nil {
		return writeError(err)
	}
	return nil
}

// appendPuts appends a request for each field of a record.
func appendPuts(to []*pb.RequestOp, record []byte, values []stores.Field, lease int64) []*pb.RequestOp {
	for i := range values {
		put := &pb.PutRequest{Key: appendField(nil, record, values[i].Name), Value: values[i].Value, Lease: lease}
		to = append(to, &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: put}})
	}
	return to
}

// appendField appends the key of a record's field.
func appendField(to, record []byte, field string) []byte {
	return append(append(append(to, record...), separator...), field...)
}

func (s *session) fieldKey(field string) []byte {
	s.value = appendField(s.value[:0], s.key, field)
	return s.value
}

// recordRange is that of all fields of the record.
func (s *session) recordRange() (from, end []byte) {
	n := len(s.key) + len(separator)
	s.value = append(append(s.value[:0], s.key...), separator...)
	s.value = append(append(s.value, s.key...), behindFields...)
	return s.value[:n:n], s.value[n:]
}

// split cuts a key in the table into that of the record and the field's name.
func (s *session) split(key []byte) (record, field []byte, err error) {
	if !bytes.HasPrefix(key, s.prefix) {
		return nil, nil, errors.New("it isn't in the table")
	}
	record, field, found := bytes.Cut(key, []byte(separator))
	if !found || len(record) < len(s.prefix) {
		return nil, nil, errors.New("it names no field: it is of a mode without fields, or of another program")
	}
	return record, field, nil
}

func badRecord(key []byte, err error) error {
	return &stores.Error{Outcome: stores.Failed, Code: stores.CodeBadRecord, Err: fmt.Errorf("etcd: key %q: %w", key, err)}
}

func badScan(count int) error {
	return &stores.Error{Outcome: stores.Failed, Code: stores.CodeBadOperation, Err: fmt.Errorf("a scan of %d records", count)}
}
