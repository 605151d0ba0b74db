package conn

import (
	"context"
	"errors"
	"fmt"

	"github.com/kvbench/kvbench/internal/stores"
)

// Sharing is the connections that a driver's sessions share, if they do. A driver that embeds it is a
// stores.Sharer and a stores.Connector. It is filled before there are sessions; the zero value shares none.
type Sharing struct {
	store  string // in errors
	counts Counts
	groups []*Places
}

// Share begins to make so many connections to each of the members, any of which can be asked.
func (s *Sharing) Share(store string, members []Opener, connections int) {
	s.store = store
	s.groups = append(s.groups, NewPlaces(members, &s.counts, connections, Depth))
}

// Groups are the places of each call of Share; nil without any.
func (s *Sharing) Groups() []*Places { return s.groups }

// Connections counts those that sessions share.
func (s *Sharing) Connections() stores.ConnectionCount { return s.counts.Now() }

// Places are those on the connections to members any of which can be asked, if all operations go to them.
func (s *Sharing) Places() int {
	if len(s.groups) != 1 {
		return 0
	}
	return s.groups[0].Most()
}

// Connect makes the connections that sessions share.
func (s *Sharing) Connect(ctx context.Context) error {
	var problems []error
	for _, p := range s.groups {
		problems = append(problems, p.Await(ctx))
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("%s: connect to the members: %w", s.store, err)
	}
	return nil
}

// End closes them.
func (s *Sharing) End() {
	for _, p := range s.groups {
		p.Close()
	}
}
