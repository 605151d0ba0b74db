package conn

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Pool is the shared connections to each member that a driver asks.
type Pool struct {
	dial        func(address string) Dialer
	counts      *Counts
	connections int
	depth       int

	mu      sync.Mutex
	members map[string]*Shared
	retired []*Shared
}

// NewPool connects to nobody yet.
func NewPool(dial func(address string) Dialer, counts *Counts, connections, depth int) *Pool {
	return &Pool{dial: dial, counts: counts, connections: connections, depth: depth, members: map[string]*Shared{}}
}

// Places is how many operations can be on the connections to one member at once, those that are replaced
// included.
func (p *Pool) Places() int { return 2 * p.connections * p.depth }

// To is the connections to a member.
func (p *Pool) To(address string) *Shared {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.to(address)
}

func (p *Pool) to(address string) *Shared {
	if p.members[address] == nil {
		p.members[address] = NewShared(p.dial(address), p.counts, p.connections, p.depth)
	}
	return p.members[address]
}

// Only is the connections to the one member that is asked from now on; nil if that isn't so any more.
func (p *Pool) Only(address string, still func() bool) *Shared {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !still() {
		return nil
	}
	for other, shared := range p.members {
		if other != address {
			shared.Retire()
			p.retired = append(p.retired, shared)
			delete(p.members, other)
		}
	}
	return p.to(address)
}

// Await returns when all connections to these members are there, or ctx ends.
func (p *Pool) Await(ctx context.Context, addresses ...string) error {
	for _, address := range addresses {
		p.To(address) // all at the same time
	}
	var problems []error
	for _, address := range addresses {
		if err := p.To(address).Await(ctx); err != nil {
			problems = append(problems, fmt.Errorf("connect to %s: %w", address, err))
		}
	}
	return errors.Join(problems...)
}

// Close ends all connections.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, shared := range p.members {
		p.retired = append(p.retired, shared)
	}
	for _, shared := range p.retired {
		shared.Close()
	}
	p.members, p.retired = map[string]*Shared{}, nil
}
