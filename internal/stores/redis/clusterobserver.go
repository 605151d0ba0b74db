package redis

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// clusterObserver asks each member for its role and for what it knows of the cluster, over
// connections of its own: one that hangs delays no other.
type clusterObserver struct {
	names     []string
	addresses []string
	members   []*watched
}

// standing is a cluster's state, as one of its members sees it.
type standing struct {
	up     bool // it serves what it has
	served int  // slots whose owner is there
}

// sight is what one member answered.
type sight struct {
	info     info
	standing standing
	nodes    []node
	err      error
}

func observeCluster(cfg stores.Config) *clusterObserver {
	o := &clusterObserver{names: cfg.Names, addresses: cfg.Addresses}
	for _, address := range cfg.Addresses {
		o.members = append(o.members, &watched{server: newPeer(address, cfg.Credentials)})
	}
	return o
}

// Sample asks all members at once.
func (o *clusterObserver) Sample(ctx context.Context, timeout time.Duration) []stores.MemberState {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	states := make([]stores.MemberState, len(o.members))
	for i, seen := range o.look(ctx) {
		states[i] = clusterState(&seen, len(o.members))
		states[i].Name = o.names[i]
	}
	return states
}

// look asks all members at once.
func (o *clusterObserver) look(ctx context.Context) []sight {
	sights := make([]sight, len(o.members))
	var all sync.WaitGroup
	for i, member := range o.members {
		all.Go(func() { sights[i] = member.sight(ctx) })
	}
	all.Wait()
	return sights
}

func (o *clusterObserver) Close() error {
	closeAll(o.members)
	return nil
}

func (w *watched) sight(ctx context.Context) (seen sight) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if seen.info, seen.err = askServer(ctx, w.server); seen.err != nil {
		return seen
	}
	var text string
	if _, seen.err = w.server.ask(ctx, []string{"CLUSTER", "INFO"}); seen.err == nil {
		text, seen.err = w.server.value(0).Text()
	}
	if seen.err != nil {
		return seen
	}
	seen.standing = readCluster(text)
	seen.nodes, seen.err = askNodes(ctx, w.server)
	return seen
}

// clusterState is what the answers say of a member, of so many. It is healthy when its cluster
// serves all slots, has these members and no others, and it has slots, or a primary all of whose
// data it has.
func clusterState(seen *sight, members int) stores.MemberState {
	if seen.err != nil {
		return stores.MemberState{Role: stores.MemberUnknown, Error: stores.CutError(codeOf(seen.err) + ": " + seen.err.Error())}
	}
	self := selfOf(seen.nodes)
	state := stores.MemberState{Role: stores.MemberReplica, Commit: seen.info.offset}
	if self.primary {
		state.Role = stores.MemberPrimary
	}
	switch {
	case seen.info.loading:
		state.Error = "it loads its data"
	case len(seen.nodes) != members:
		state.Error = fmt.Sprintf("it knows a cluster of %d nodes, not of %d", len(seen.nodes), members)
	case !seen.standing.up || seen.standing.served < slotCount:
		state.Error = fmt.Sprintf("%d of %d slots are served", seen.standing.served, slotCount)
	case self.primary && len(self.slots) == 0:
		state.Error = "it has no slots, and follows nobody"
	case !self.primary && !seen.info.linked:
		state.Error = "it has no link to its primary, or copies its data"
	default:
		state.Healthy = true
	}
	return state
}

// readCluster reads the lines "name:value" of CLUSTER INFO. The text is of a store of the run's
// choice: what isn't there, or no number, is no cluster that serves.
func readCluster(text string) (said standing) {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch name {
		case "cluster_state":
			said.up = value == "ok"
		case "cluster_slots_ok":
			said.served, _ = strconv.Atoi(value)
		}
	}
	return said
}
