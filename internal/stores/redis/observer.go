package redis

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// observer asks each server for its role and the Sentinel beside it for the primary, over
// connections of its own: one that hangs delays no other.
type observer struct {
	names     []string
	addresses []string
	members   []*watched
	reign     reign
}

type watched struct {
	mu       sync.Mutex // samples may overlap
	server   *peer
	sentinel *peer // nil where a member is alone, or of a cluster
}

// look is what one member and its Sentinel answered.
type look struct {
	info      info
	said      word
	err       error // of the server
	unguarded error // of the Sentinel
}

// Observe connects when it is first asked.
func Observe(cfg stores.Config) (stores.Observer, error) {
	if len(cfg.Addresses) != len(cfg.Names) {
		return nil, fmt.Errorf("redis: %d addresses for %d members", len(cfg.Addresses), len(cfg.Names))
	}
	if cfg.Mode == ModeCluster {
		return observeCluster(cfg), nil
	}
	o := &observer{names: cfg.Names, addresses: cfg.Addresses}
	for _, address := range cfg.Addresses {
		member := &watched{server: newPeer(address, cfg.Credentials)}
		if len(cfg.Addresses) > 1 {
			sentinel, err := sentinelOf(address)
			if err != nil {
				return nil, err
			}
			member.sentinel = newPeer(sentinel, cfg.Credentials)
		}
		o.members = append(o.members, member)
	}
	return o, nil
}

// Sample asks all members at once.
func (o *observer) Sample(ctx context.Context, timeout time.Duration) []stores.MemberState {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	looks := make([]look, len(o.members))
	var all sync.WaitGroup
	for i, member := range o.members {
		all.Go(func() { looks[i] = member.look(ctx, o.addresses[i]) })
	}
	all.Wait()
	return o.judge(looks)
}

func (o *observer) Close() error {
	closeAll(o.members)
	return nil
}

func closeAll(members []*watched) {
	for _, member := range members {
		member.mu.Lock()
		member.server.drop()
		if member.sentinel != nil {
			member.sentinel.drop()
		}
		member.mu.Unlock()
	}
}

func (w *watched) look(ctx context.Context, address string) (seen look) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var both sync.WaitGroup
	if w.sentinel == nil {
		seen.said = word{address: address}
	} else {
		both.Go(func() { seen.said, seen.unguarded = askSentinel(ctx, w.sentinel) })
	}
	seen.info, seen.err = askServer(ctx, w.server)
	both.Wait()
	return seen
}

// judge makes one state of each look.
func (o *observer) judge(looks []look) []stores.MemberState {
	others := len(looks) - 1
	states := make([]stores.MemberState, len(looks))
	for i := range looks {
		states[i] = memberState(&looks[i], others)
		named := looks[i].said.address
		states[i].Name, states[i].Leader = o.names[i], o.nameOf(named)
		switch state := &states[i]; {
		case !state.Healthy:
		case state.Leader == "" && named != "":
			state.Healthy, state.Error = false, "its Sentinel names "+named+" the primary, which is no address of a member"
		case looks[i].info.primary && state.Leader != state.Name:
			// It came back before it was told. It has yet to copy all that the other one has.
			state.Healthy, state.Error = false, "it is a primary still, while its Sentinel names "+state.Leader
		}
	}
	o.reign.count(o, looks, states)
	return states
}

func (o *observer) nameOf(address string) string {
	if i := slices.Index(o.addresses, address); i >= 0 {
		return o.names[i]
	}
	return ""
}

// memberState is what the answers say of a member that has so many others. It is healthy when it
// is the primary or has all that the primary sent, and its Sentinel could choose another primary:
// a Sentinel learns of a replica within ten seconds.
func memberState(seen *look, others int) stores.MemberState {
	if seen.err != nil {
		return stores.MemberState{Role: stores.MemberUnknown, Error: codeOf(seen.err)}
	}
	state := stores.MemberState{Role: stores.MemberFollower, Commit: seen.info.offset}
	if seen.info.primary {
		state.Role = stores.MemberLeader
	}
	switch {
	case seen.info.loading:
		state.Error = "it loads its data"
	case seen.unguarded != nil:
		state.Error = codeOf(seen.unguarded) + ": its Sentinel"
	case seen.said.replicas < others || seen.said.sentinels < others:
		state.Error = "its Sentinel does not know all members yet"
	case !seen.info.primary && !seen.info.linked:
		state.Error = "it has no link to the primary, or copies its data"
	case !seen.info.primary && seen.info.follows != seen.said.address:
		state.Error = "it follows another one than its Sentinel names"
	default:
		state.Healthy = true
	}
	return state
}

// reign counts what Redis has no number for: a primary that ended and is back as the primary is
// the same one in the same epoch, and yet something has changed.
type reign struct {
	mu       sync.Mutex
	epoch    uint64
	name     string
	run      string // Redis' own name of the primary's process
	restarts uint64
}

// count sets the members' terms: 1, and the failovers of all time, and the restarts of primaries
// that were seen. An observer that is started again has seen none. As the leader that a member
// names, its term is its Sentinel's: the server beside it may be away.
func (r *reign) count(o *observer, looks []look, states []stores.MemberState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range looks {
		seen, name := &looks[i], o.names[i]
		if seen.err != nil || !seen.info.primary || seen.unguarded != nil || states[i].Leader != name || seen.said.epoch < r.epoch {
			continue
		}
		if seen.said.epoch == r.epoch && r.name == name && r.run != seen.info.run {
			r.restarts++
		}
		r.epoch, r.name, r.run = seen.said.epoch, name, seen.info.run
	}
	for i := range states {
		if looks[i].unguarded == nil {
			states[i].Term = 1 + looks[i].said.epoch + r.restarts
		}
	}
}
