package cassandra

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// observer asks each member over a client of its own: one that hangs delays no other.
type observer struct {
	names   []string
	members []*watched
	shared  bool // the members are of somebody else
	// user is who alone may log in at members that were deployed; "" where nobody has to, or where
	// others decide that.
	user string
}

// Observe connects when it is first asked.
func Observe(cfg stores.Config) (stores.Observer, error) {
	if len(cfg.Addresses) != len(cfg.Names) {
		return nil, fmt.Errorf("cassandra: %d addresses for %d members", len(cfg.Addresses), len(cfg.Names))
	}
	if _, err := settingsOf(cfg); err != nil {
		return nil, err
	}
	o := &observer{names: cfg.Names, shared: cfg.Shared}
	if cfg.Credentials != nil && !cfg.Shared {
		o.user = cfg.Credentials.User
	}
	for i, address := range cfg.Addresses {
		o.members = append(o.members, &watched{name: cfg.Names[i], address: address, credentials: cfg.Credentials})
	}
	return o, nil
}

// Sample asks all members at once.
func (o *observer) Sample(ctx context.Context, timeout time.Duration) []stores.MemberState {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	views, errs := make([]*view, len(o.members)), make([]error, len(o.members))
	var all sync.WaitGroup
	for i, member := range o.members {
		all.Go(func() { views[i], errs[i] = member.view(ctx, o.user) })
	}
	all.Wait()
	states := make([]stores.MemberState, len(o.members))
	for i, name := range o.names {
		states[i] = stores.MemberState{Name: name, Role: stores.MemberUnknown}
		if views[i] == nil {
			states[i].Error = stores.CutError(codeOf(errs[i]) + ": " + errs[i].Error())
			continue
		}
		complaint := views[i].complaint(views, o.names)
		states[i].Role, states[i].Healthy, states[i].Error = stores.MemberAlike, complaint == "", stores.CutError(complaint)
	}
	return states
}

func (o *observer) Close() error {
	var all sync.WaitGroup
	for _, member := range o.members {
		all.Go(member.close)
	}
	all.Wait()
	return nil
}

// view asks the member what it has heard of all. Where user isn't empty, nobody else is to log in.
func (w *watched) view(ctx context.Context, user string) (seen *view, err error) {
	client, err := w.connected(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { w.after(client, err) }()
	seen = &view{peers: map[string]peer{}}
	if user != "" {
		if seen.strangers, err = w.others(ctx, client, user); err != nil {
			return nil, err
		}
	}
	if err := client.Query("SELECT host_id FROM system.local").ScanContext(ctx, &seen.id); err != nil {
		return nil, err
	}
	rows := client.Query("SELECT host_id, generation, heartbeat, status_with_port FROM system_views.gossip_info").IterContext(ctx)
	var id string
	var one peer
	for rows.Scan(&id, &one.generation, &one.heartbeat, &one.status) {
		seen.hear(id, one)
	}
	if err := rows.Close(); err != nil {
		return nil, err
	}
	return seen, nil
}
