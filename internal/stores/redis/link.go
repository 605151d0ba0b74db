package redis

import (
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// link is what a session sends its operations to one server over.
type link struct {
	address string
	own     *conn.Own
}

func newLink(address string, credentials *stores.Credentials, counts *conn.Counts) *link {
	return &link{address: address, own: conn.NewOwn(dialerOf(address, credentials), counts)}
}

// wait is how long it is until it can be tried to connect again; 0 if at once.
func (l *link) wait() time.Duration { return max(0, time.Until(l.own.Due())) }

// run sends the commands at once, and returns when their answers are there. Its error is of the
// network: an answer that is an error is one of the answers. sent says whether they can have arrived.
func (l *link) run(commands *pipeline, deadline time.Time) (sent bool, err error) {
	how, err := l.own.Do(commands, deadline)
	return how != conn.Nothing, err
}

func (l *link) drop() { l.own.Drop() }
