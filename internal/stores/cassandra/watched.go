package cassandra

import (
	"cmp"
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

// watched is one member, and a client that talks to it alone.
type watched struct {
	name        string
	address     string
	credentials *stores.Credentials
	mu          sync.Mutex
	client      *gocql.Session // nil: none yet, or none any more
	dialing     *dialing
	all         sync.WaitGroup
	closed      bool
	late        atomic.Int32 // looks in a row that ran out of time
	// ownUsers: it was seen that nobody else than the run's user may log in.
	ownUsers atomic.Bool
	// collector is for one who asks for what is used, at a time.
	collector collector
}

// dialing is a client on its way: gocql makes one for as long as it takes, whatever the context.
type dialing struct {
	done chan struct{}
	err  error // when it is done
}

// connected is the member's client, when there is one before the context ends.
func (w *watched) connected(ctx context.Context) (*gocql.Session, error) {
	client, way := w.begin()
	if client != nil {
		return client, nil
	}
	select {
	case <-way.done:
	case <-ctx.Done():
		return nil, &stores.ConnectError{Err: ctx.Err()}
	}
	if way.err != nil {
		return nil, &stores.ConnectError{Err: way.err}
	}
	if client, _ = w.begin(); client == nil {
		return nil, gocql.ErrSessionClosed // which another sample has ended
	}
	return client, nil
}

func (w *watched) begin() (*gocql.Session, *dialing) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.client != nil || w.dialing != nil {
		return w.client, w.dialing
	}
	way := &dialing{done: make(chan struct{})}
	if w.closed {
		way.err = gocql.ErrSessionClosed
		close(way.done)
		return nil, way
	}
	w.dialing = way
	w.all.Go(func() {
		client, err := dialOne(w.address, w.credentials)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.client, way.err, w.dialing = client, err, nil
		close(way.done)
	})
	return nil, way
}

// dialOne makes a client of the one member. Its name is looked up each time: a pod that is
// replaced has another address.
func dialOne(address string, credentials *stores.Credentials) (*gocql.Session, error) {
	addr, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, err
	}
	cluster, err := clusterOf(gocql.One, credentials, address)
	if err != nil {
		return nil, err
	}
	cluster.Hosts = []string{addr.String()}
	cluster.Port, cluster.NumConns = addr.Port, 1
	cluster.HostFilter = gocql.HostFilterFunc(func(host *gocql.HostInfo) bool { return host.ConnectAddress().Equal(addr.IP) })
	cluster.ReconnectInterval = 0
	cluster.Metadata.CacheMode = gocql.Disabled
	cluster.Events.DisableTopologyEvents, cluster.Events.DisableSchemaEvents = true, true
	tried := &attempts{}
	cluster.ConnectObserver = tried
	client, err := cluster.CreateSession()
	if err != nil {
		return nil, cmp.Or(tried.err(), err)
	}
	return client, nil
}

// lateMost is how many looks in a row may run out of time before the client is given up.
const lateMost = 20

// after notes how a look ended, and ends the client if that says so.
func (w *watched) after(client *gocql.Session, err error) {
	if w.dropsAfter(err) {
		w.drop(client)
	}
}

// dropsAfter says whether the client is to be given up. A look that ran out of time says nothing of the
// connection: a member that has no processor to spare would have to make a new one for each. That of a
// machine which is gone ends by itself (silence).
func (w *watched) dropsAfter(err error) bool {
	if err != nil && errors.Is(err, context.DeadlineExceeded) && w.late.Add(1) < lateMost {
		return false
	}
	w.late.Store(0)
	return err != nil
}

// drop ends the client after an error, unless it is another one already.
func (w *watched) drop(client *gocql.Session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if client == nil || w.client != client {
		return
	}
	w.client = nil
	w.all.Go(func() { end(client) })
}

func (w *watched) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.all.Wait() // for a client on its way
	w.mu.Lock()
	client := w.client
	w.mu.Unlock()
	w.drop(client)
	w.all.Wait()
}
