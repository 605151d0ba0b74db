package etcd

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/kvbench/kvbench/internal/stores"
)

// The image of the store is the run's choice, so its answers are anybody's.
func FuzzStatusAnswers(f *testing.F) {
	for _, answer := range []*pb.StatusResponse{
		{}, {Header: &pb.ResponseHeader{MemberId: 1}, Leader: 1, RaftTerm: 7},
		{Header: &pb.ResponseHeader{}, Errors: []string{"a\nb", string(make([]byte, 5000))}},
	} {
		encoded, err := proto.Marshal(answer)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encoded, []byte{})
		f.Add(encoded, encoded)
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		answers := []*pb.StatusResponse{{}, {}}
		if proto.Unmarshal(first, answers[0]) != nil || proto.Unmarshal(second, answers[1]) != nil {
			return
		}
		o := &observer{names: []string{"e-0", "e-1"}, known: map[uint64]string{}}
		for i, state := range o.judge(answers, make([]error, 2)) {
			if state.Name != o.names[i] || len(state.Error) > stores.MaxError || state.Leader != "" && state.Leader != "e-0" && state.Leader != "e-1" {
				t.Errorf("member %d is %+v", i, state)
			}
		}
	})
}

func TestAnObserverKeepsFewMembersOfManyAnswers(t *testing.T) {
	o := &observer{names: []string{"e-0"}, known: map[uint64]string{}}
	for id := range uint64(5000) {
		o.judge([]*pb.StatusResponse{{Header: &pb.ResponseHeader{MemberId: id}}}, []error{nil})
	}
	if len(o.known) > maxKnown {
		t.Errorf("%d members are known", len(o.known))
	}
}

// fixedKV answers every range with the same bytes.
type fixedKV struct {
	pb.KVClient
	answer *pb.RangeResponse
}

func (k fixedKV) Range(context.Context, *pb.RangeRequest, ...grpc.CallOption) (*pb.RangeResponse, error) {
	return k.answer, nil
}

func FuzzRangeAnswers(f *testing.F) {
	f.Add([]byte{}, true)
	f.Add([]byte("\x12\x08\x0a\x01k\x2a\x03abc"), false)
	f.Fuzz(func(t *testing.T, encoded []byte, wanted bool) {
		answer := &pb.RangeResponse{}
		if proto.Unmarshal(encoded, answer) != nil {
			return
		}
		s := &session{driver: &driver{}, kv: fixedKV{answer: answer}}
		for _, op := range []*stores.Op{
			{Kind: stores.Read, Table: "t", Key: []byte("k"), WantResult: wanted, Deadline: time.Now().Add(time.Minute)},
			{Kind: stores.Scan, Table: "t", Key: []byte("k"), Count: 3, WantResult: wanted, Fields: []string{"field0"}, Deadline: time.Now().Add(time.Minute)},
		} {
			if err := s.Do(op); err == nil && !wanted && len(op.Result) > 0 {
				t.Errorf("fields that nobody wanted: %d", len(op.Result))
			}
		}
	})
}

func TestAScanTakesNoMoreThanWasAskedFor(t *testing.T) {
	record := stores.EncodeRecord(nil, []stores.Field{{Name: "field0", Value: []byte("v")}})
	for records, good := range map[int]bool{3: true, 4: false} {
		s := &session{driver: &driver{}, kv: fixedKV{answer: &pb.RangeResponse{Kvs: slices.Repeat([]*mvccpb.KeyValue{{Value: record}}, records)}}}
		op := &stores.Op{Kind: stores.Scan, Table: "t", Key: []byte("k"), Count: 3, WantResult: true, Deadline: time.Now().Add(time.Minute)}
		if err := s.Do(op); (err == nil) != good || !good && !errors.Is(err, stores.ErrTooManyRecords) {
			t.Errorf("%d records: %v", records, err)
		}
	}
}
