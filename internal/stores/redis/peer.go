package redis

import (
	"context"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
	"github.com/kvbench/kvbench/internal/stores/redis/resp"
)

// adminTimeout bounds what has no deadline of its own.
const adminTimeout = 30 * time.Second

// peer asks one server for what isn't an operation, for one goroutine.
type peer struct {
	pipeline
	own *conn.Own
}

func newPeer(address string, credentials *stores.Credentials) *peer {
	return &peer{own: conn.NewOwn(dialerOf(address, credentials).Dial, &conn.Counts{})}
}

// ask sends the commands at once, and returns when their answers are there. Its error is of the
// network, or the first answer that is one. sent says whether they can have arrived.
func (p *peer) ask(ctx context.Context, commands ...[]string) (sent bool, err error) {
	p.commands.Reset()
	for _, words := range commands {
		p.commands.Command(words...)
	}
	how, err := p.own.DoWithin(ctx, adminTimeout, &p.pipeline)
	if err != nil {
		return how != conn.Nothing, err
	}
	return true, p.firstError()
}

// value is the answer to the command with that number.
func (p *peer) value(command int) resp.Value { return p.answers.Of(command) }

// drop ends the connection.
func (p *peer) drop() { p.own.Drop() }
