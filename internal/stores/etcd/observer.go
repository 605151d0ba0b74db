package etcd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"

	"github.com/kvbench/kvbench/internal/stores"
)

// observer asks each member for its status.
type observer struct {
	names     []string
	addresses []string
	members   []pb.MaintenanceClient
	clusters  []pb.ClusterClient
	auths     []pb.AuthClient
	conns     []*grpc.ClientConn
	metrics   *http.Client
	scheme    string  // of the metrics
	users     *tokens // nil: members have none
	turn      int     // whose it is to give a token
	// setsUp says that the members have the run's user from this observer.
	setsUp bool
	stop   func()

	mu         sync.Mutex
	known      map[uint64]string // member ID to name, kept: a dead leader is named too
	identities identities
}

// maxKnown bounds what is kept of answers: a member has one ID for life, or another one after its
// data was lost.
const maxKnown = 1000

// Observe connects in the background.
func Observe(cfg stores.Config) (stores.Observer, error) {
	if len(cfg.Addresses) != len(cfg.Names) {
		return nil, fmt.Errorf("etcd: %d addresses for %d members", len(cfg.Addresses), len(cfg.Names))
	}
	held, err := credentialsOf(cfg)
	if err != nil {
		return nil, err
	}
	encrypted := encryption(held)
	o := &observer{
		names: cfg.Names, addresses: cfg.Addresses, metrics: newMetricsClient(encrypted), scheme: "http://",
		users: newTokens(held), stop: func() {}, known: map[uint64]string{},
	}
	o.setsUp = setsUp(cfg, o.users)
	if encrypted != nil {
		o.scheme = "https://"
	}
	var options []grpc.DialOption
	if o.users != nil {
		options = append(options, grpc.WithChainUnaryInterceptor(o.users.hasty))
	}
	all := members{cfg.Addresses, encrypted}
	if o.conns, err = all.dial(options...); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	for _, conn := range o.conns {
		o.members = append(o.members, pb.NewMaintenanceClient(conn))
		o.clusters = append(o.clusters, pb.NewClusterClient(conn))
		o.auths = append(o.auths, pb.NewAuthClient(conn))
	}
	if o.users != nil {
		o.stop = inBackground(func(ctx context.Context) { o.users.run(ctx, source{o.askInTurn, all.catchUp}) })
	}
	return o, nil
}

// Sample asks all members at once.
func (o *observer) Sample(ctx context.Context, timeout time.Duration) []stores.MemberState {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answers := make([]*pb.StatusResponse, len(o.members))
	failures := make([]error, len(o.members))
	counts := make([]int, len(o.members))
	var all sync.WaitGroup
	for i := range o.members {
		all.Go(func() {
			answers[i], failures[i] = o.members[i].Status(ctx, &pb.StatusRequest{})
		})
		all.Go(func() {
			// As far as it knows: a majority may be away. What it doesn't say keeps nothing up.
			if list, err := o.clusters[i].MemberList(ctx, &pb.MemberListRequest{}); err == nil {
				counts[i] = len(list.GetMembers())
			}
		})
	}
	all.Wait()
	return troubled(crowded(o.judge(answers, failures), counts), o.users.trouble())
}

// crowded are the states of members whose cluster has so many by their word, 0 where one said nothing.
func crowded(states []stores.MemberState, counts []int) []stores.MemberState {
	for i, count := range counts {
		if count > len(states) && states[i].Role != stores.MemberUnknown {
			states[i].Healthy, states[i].Error = false, stores.TooManyMembers(count, len(states))
		}
	}
	return states
}

// judge makes one state of each member's answer or failure. The answers are a store's of
// the run's choice, and may lack what etcd's have.
func (o *observer) judge(answers []*pb.StatusResponse, failures []error) []stores.MemberState {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, answer := range answers {
		if failures[i] != nil {
			continue
		}
		if id := answer.GetHeader().GetMemberId(); len(o.known) < maxKnown || o.known[id] != "" {
			o.known[id] = o.names[i]
			o.identities.note(o.names[i], id)
		}
	}
	states := make([]stores.MemberState, len(o.names))
	for i, name := range o.names {
		states[i] = memberState(name, answers[i], failures[i], o.known)
	}
	return states
}

func (o *observer) Close() error {
	o.stop()
	o.metrics.CloseIdleConnections()
	return closeAll(o.conns)
}

// memberState is what a member's answer says of it.
func memberState(name string, answer *pb.StatusResponse, failure error, known map[uint64]string) stores.MemberState {
	if failure != nil {
		code, _ := classify(failure)
		if isRefusal(rpctypes.ErrorDesc(failure)) {
			code = stores.CodeUnauthorized
		}
		// What the connection says is for people who look for the reason.
		return stores.MemberState{Name: name, Role: stores.MemberUnknown, Error: stores.CutError(code + ": " + rpctypes.ErrorDesc(failure))}
	}
	state := stores.MemberState{
		Name:   name,
		Role:   stores.MemberFollower,
		Term:   answer.RaftTerm,
		Commit: answer.RaftIndex,
		Leader: known[answer.Leader],
		// Errors holds alarms, and the lack of a leader.
		Healthy: answer.Leader != 0 && len(answer.Errors) == 0,
		Error:   stores.CutError(strings.Join(answer.Errors, "; ")),
	}
	switch {
	case answer.IsLearner:
		state.Role = stores.MemberLearner
	case answer.Leader != 0 && answer.Leader == answer.GetHeader().GetMemberId():
		state.Role = stores.MemberLeader
	}
	return state
}
