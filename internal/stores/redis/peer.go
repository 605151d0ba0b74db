package redis

import (
	"context"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	client "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/kvbench/kvbench/internal/stores"
)

// Connecting is tried again soon, but not at once: threads must not spin while a server is away.
// A failed attempt is an operation's failure.
const (
	reconnectBase = 50 * time.Millisecond
	reconnectMax  = 500 * time.Millisecond
	dialTimeout   = time.Second
)

// buffers hold a request, or an answer, of YCSB's usual record of 1 kB at once.
const buffers = 8 << 10

// quiet keeps the client from writing lines of its own into a program's output.
var quiet = sync.OnceFunc(logging.Disable)

// peer is one connection to one server, for one goroutine.
//
// The client has a pool, which after a failed dial waits for a second before the next: that would
// be measured as the store's outage. So its pool has one connection, and a client whose
// connection failed is replaced.
type peer struct {
	address     string
	credentials *stores.Credentials // nil: servers ask for none
	client      *client.Client      // nil before it is needed, and after a failure
	// connecting says that the client's connection isn't made yet: no request has been sent over it. A
	// client dials in a goroutine of its own, also one that was left.
	connecting *atomic.Bool

	pause time.Duration // after the last failed attempt
	next  time.Time     // no attempt before
}

func newPeer(address string, credentials *stores.Credentials) *peer {
	quiet()
	return &peer{address: address, credentials: credentials}
}

// use returns the client, whose connection is made, or made anew, by its next command. The client
// looks at a connection before it sends: one that the server has closed is replaced, which no
// operation notices.
func (p *peer) use() *client.Client {
	if p.client != nil {
		return p.client
	}
	connecting := new(atomic.Bool)
	connecting.Store(true)
	p.connecting = connecting
	p.client = client.NewClient(&client.Options{
		Addr: p.address,
		Dialer: func(ctx context.Context, network, address string) (net.Conn, error) {
			connecting.Store(true)
			return dial(ctx, network, address, p.credentials)
		},
		OnConnect: func(ctx context.Context, conn *client.Conn) error {
			if err := logIn(ctx, conn, p.credentials); err != nil {
				return err
			}
			// A server that is full refuses a connection when it is made, and ends it. The client takes
			// that for an answer to its greeting, and would send the operation on it. Any answer is
			// one of a server that is there: what it says of the operation is what counts.
			if err := conn.Ping(ctx).Err(); err != nil && !isReply(err) {
				return err
			}
			connecting.Store(false)
			return nil
		},
		Protocol:   2,
		MaxRetries: -1, DialerRetries: 1, DialTimeout: dialTimeout,
		// The context's deadline is the only one.
		ReadTimeout: -1, WriteTimeout: -1, ContextTimeoutEnabled: true,
		PoolSize: 1, PipelinePoolSize: -1, PoolTimeout: time.Hour, ConnMaxIdleTime: -1,
		ReadBufferSize: buffers, WriteBufferSize: buffers,
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	return p.client
}

// after is told what became of a command, and says whether its request can have been sent. After
// anything but an answer the connection is left.
func (p *peer) after(err error) (sent bool) {
	if err == nil || isReply(err) {
		p.pause, p.next = 0, time.Time{}
		return true
	}
	sent = !p.connecting.Load()
	p.drop()
	if !sent {
		p.pause = min(max(reconnectBase, 2*p.pause), reconnectMax)
		p.next = time.Now().Add(p.pause)
	}
	return sent
}

// run sends the commands at once, and returns when their answers are there. Its error is of the
// network: an answer that is an error is in its command. sent says whether they can have arrived.
func (p *peer) run(ctx context.Context, commands ...client.Cmder) (sent bool, err error) {
	if len(commands) == 1 {
		err = p.use().Process(ctx, commands[0])
	} else {
		pipe := p.use().Pipeline()
		for _, command := range commands {
			_ = pipe.Process(ctx, command) // keeps it until Exec
		}
		_, err = pipe.Exec(ctx)
		for _, command := range commands {
			// Exec's error is the first one, which may hide that the rest got no answer.
			if other := command.Err(); other != nil && !isReply(other) {
				err = other
			}
		}
	}
	sent = p.after(err)
	if err != nil && isReply(err) {
		attribute(err, commands)
		err = nil
	}
	return sent, err
}

// attribute gives each command an answer that is none of theirs. It is of the connection's setup
// then, after which a pipeline is not sent, and the client leaves its commands as if all was well.
func attribute(reply error, commands []client.Cmder) {
	if slices.ContainsFunc(commands, func(c client.Cmder) bool { return c.Err() != nil }) {
		return
	}
	for _, command := range commands {
		command.SetErr(reply)
	}
}

// drop ends the connection.
func (p *peer) drop() {
	if p.client != nil {
		_ = p.client.Close() // there is nobody to tell of an error
		p.client = nil
	}
}
