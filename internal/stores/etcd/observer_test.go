package etcd

import (
	"strings"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestMemberStateFromItsAnswer(t *testing.T) {
	known := map[uint64]string{1: "e-0", 2: "e-1"}
	answer := func(id, leader uint64, errs ...string) *pb.StatusResponse {
		return &pb.StatusResponse{
			Header: &pb.ResponseHeader{MemberId: id}, Leader: leader, RaftTerm: 7, RaftIndex: 99, Errors: errs,
		}
	}
	learner := answer(2, 1)
	learner.IsLearner = true
	for name, c := range map[string]struct {
		answer  *pb.StatusResponse
		failure error
		want    stores.MemberState
	}{
		"the leader":        {answer(1, 1), nil, stores.MemberState{Role: stores.MemberLeader, Healthy: true, Leader: "e-0"}},
		"a follower":        {answer(2, 1), nil, stores.MemberState{Role: stores.MemberFollower, Healthy: true, Leader: "e-0"}},
		"a learner":         {learner, nil, stores.MemberState{Role: stores.MemberLearner, Healthy: true, Leader: "e-0"}},
		"leaderless":        {answer(2, 0, "etcdserver: no leader"), nil, stores.MemberState{Role: stores.MemberFollower, Error: "etcdserver: no leader"}},
		"with alarm":        {answer(1, 1, "alarm:NOSPACE"), nil, stores.MemberState{Role: stores.MemberLeader, Leader: "e-0", Error: "alarm:NOSPACE"}},
		"a new leader":      {answer(2, 3), nil, stores.MemberState{Role: stores.MemberFollower, Healthy: true}},
		"it has just ended": {nil, status.Error(codes.Unavailable, "error reading from server: EOF"), stores.MemberState{Role: stores.MemberUnknown, Error: "ConnectionLost: error reading from server: EOF"}},
		"asks for a user":   {nil, rpctypes.ErrGRPCUserEmpty, stores.MemberState{Role: stores.MemberUnknown, Error: "Unauthorized: etcdserver: user name is empty"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.want.Name = "e-x"
			if c.failure == nil {
				c.want.Term, c.want.Commit = 7, 99
			}
			if got := memberState("e-x", c.answer, c.failure, known); got != c.want {
				t.Fatalf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestObserveRefusesAddressesWithoutNames(t *testing.T) {
	if _, err := Observe(stores.Config{Addresses: []string{"a:1", "b:1"}, Names: []string{"a"}}); err == nil {
		t.Fatal("accepted")
	}
}

func TestAClusterOfMoreMembersThanTheRunNamesIsNotHealthy(t *testing.T) {
	well := stores.MemberState{Role: stores.MemberFollower, Healthy: true}
	away := stores.MemberState{Role: stores.MemberUnknown, Error: "Unavailable"}
	states := crowded([]stores.MemberState{well, well, away}, []int{3, 0, 4})
	if !states[0].Healthy || !states[1].Healthy || states[2] != away {
		t.Errorf("%+v", states)
	}
	if got := crowded([]stores.MemberState{well}, []int{3})[0]; got.Healthy || got.Error != "its cluster has 3 members, and the run names 1" {
		t.Errorf("%+v", got)
	}
}

// The words are gRPC's: they are asked of gRPC.
func TestAMemberThatCannotBeReachedHasNoConnection(t *testing.T) {
	for name, address := range map[string]string{"nobody listens": nobody(t), "there is no such name": "nobody.invalid:2379"} {
		t.Run(name, func(t *testing.T) {
			observer, err := Observe(stores.Config{Addresses: []string{address}, Names: []string{"a"}})
			if err != nil {
				t.Fatal(err)
			}
			defer observer.Close()
			if states := observer.Sample(t.Context(), 10*time.Second); !strings.HasPrefix(states[0].Error, stores.CodeNoConnection+": ") {
				t.Errorf("%+v", states)
			}
		})
	}
}
