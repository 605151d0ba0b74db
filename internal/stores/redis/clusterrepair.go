package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// lookTimeout bounds a look at the members before anything is done, and what is asked of one: while one
// is away, the others do what there is to do by themselves, and are looked at meanwhile.
const lookTimeout = time.Second

// Repair makes one cluster of the members: at the start, and of one that is back without its data.
func (o *clusterObserver) Repair(ctx context.Context, timeout time.Duration) (did string, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	seen, err := o.forming(ctx)
	if seen == nil || err != nil {
		return "", err
	}
	var done []string
	for _, step := range seen.next() {
		lost, err := o.members[step.at].do(ctx, step.command)
		switch {
		case step.did == "":
		case lost:
			done = append(done, stores.Unanswered(step.did))
		case err == nil:
			done = append(done, step.did)
		}
		if err != nil {
			return strings.Join(done, "; "), fmt.Errorf("redis: %v at %s: %w", step.command, o.names[step.at], err)
		}
	}
	return strings.Join(done, "; "), nil
}

// forming is nil while a member doesn't answer, or loads its data.
func (o *clusterObserver) forming(ctx context.Context) (*forming, error) {
	brief, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	f := &forming{names: o.names}
	for _, seen := range o.look(brief) {
		if seen.err != nil || seen.info.loading {
			return nil, nil // Sample tells of it
		}
		f.views = append(f.views, seen.nodes)
	}
	// Members are introduced by IP addresses: Redis takes no names.
	for _, address := range o.addresses {
		name, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fmt.Errorf("redis: address %q: %w", address, err)
		}
		found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		if err != nil || len(found) == 0 {
			return nil, errors.Join(fmt.Errorf("redis: %s has no address", name), err)
		}
		f.hosts, f.ports = append(f.hosts, found[0].Unmap().String()), append(f.ports, port)
	}
	return f, nil
}

// do sends the command; lost is that it was sent, and no answer came.
func (w *watched) do(ctx context.Context, command []string) (lost bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	sent, err := w.server.ask(ctx, command)
	return sent && err != nil && !isReply(err), err
}
