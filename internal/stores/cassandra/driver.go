package cassandra

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

// driver is one client of gocql's for all sessions: its connections carry many requests at once. Beside those
// for requests it has one that tells of the members.
type driver struct {
	settings
	ctx    context.Context // ends with the driver
	end    context.CancelFunc
	all    sync.WaitGroup
	client *gocql.Session // set before ready is closed
	ready  chan struct{}
	tables *tables
	begun  time.Time
	// attempts are those to connect.
	attempts attempts
	policy   gocql.HostSelectionPolicy // set with client
	bound    *bound                    // nil: gocql chooses the member
}

// Open connects in the background.
func Open(cfg stores.Config) (stores.Driver, error) {
	settings, err := settingsOf(cfg)
	if err != nil {
		return nil, err
	}
	d := &driver{settings: settings, ready: make(chan struct{}), begun: time.Now()}
	d.ctx, d.end = context.WithCancel(context.Background())
	d.tables = newTables(d)
	d.cluster.ConnectObserver = &d.attempts
	if cfg.Connections > 0 {
		d.bound = newBound(cfg.Connections)
		d.attempts.most, d.attempts.enough = int64(cfg.Connections*len(cfg.Addresses)+1), make(chan struct{})
	}
	d.all.Go(d.connect)
	return d, nil
}

// connect goes on until a member has told who the others are.
func (d *driver) connect() {
	for d.ctx.Err() == nil {
		// The policy is one session's, also when that comes to nothing.
		d.policy = gocql.TokenAwareHostPolicy(gocql.RoundRobinHostPolicy(), gocql.ShuffleReplicas())
		d.cluster.PoolConfig.HostSelectionPolicy = d.policy
		client, err := d.cluster.CreateSession()
		if err == nil {
			d.client = client
			close(d.ready)
			return
		}
		select {
		case <-time.After(reconnectInterval):
		case <-d.ctx.Done():
		}
	}
}

// await waits until there is a client, or the context ends.
func (d *driver) await(ctx context.Context) error {
	select {
	case <-d.ready:
		return nil
	case <-d.ctx.Done():
		return gocql.ErrSessionClosed
	case <-ctx.Done():
		return fmt.Errorf("no member was reached: %w", cmp.Or(d.attempts.err(), ctx.Err()))
	}
}

func (d *driver) NewSession() (stores.Session, error) { return &session{driver: d}, nil }

// Connections counts all that were made.
func (d *driver) Connections() stores.ConnectionCount { return d.attempts.count() }

// Places are those on the connections to all members, any of which can be asked.
func (d *driver) Places() int {
	if d.bound == nil {
		return 0
	}
	return d.bound.most * len(d.cluster.Hosts)
}

// Connect waits for the connections that sessions share.
func (d *driver) Connect(ctx context.Context) error {
	if d.bound == nil {
		return nil
	}
	select {
	case <-d.attempts.enough:
		return nil
	case <-ctx.Done():
		count := d.attempts.count()
		return fmt.Errorf("cassandra: %d of %d connections were made: %w", count.Opened, d.attempts.most, cmp.Or(d.attempts.err(), ctx.Err()))
	}
}

func (d *driver) Close() error {
	d.end()
	d.all.Wait()
	if d.client != nil {
		end(d.client)
	}
	return nil
}

// Ping reads a table of the driver's own, at the mode's level.
func (d *driver) Ping(ctx context.Context) error {
	if err := d.await(ctx); err != nil {
		return fmt.Errorf("cassandra: ping: %w", err)
	}
	if err := d.tables.ping(ctx); err != nil {
		return fmt.Errorf("cassandra: ping: %w", err)
	}
	return nil
}

// Reset truncates the table, which all members have to be there for. Its columns stay.
func (d *driver) Reset(ctx context.Context, table string) error {
	if err := checkNames(table, nil); err != nil {
		return err
	}
	if err := d.await(ctx); err != nil {
		return fmt.Errorf("cassandra: empty table %s: %w", table, err)
	}
	columns, err := d.tables.columns(ctx, anyone, table)
	if err == nil && len(columns) > 0 {
		err = d.client.Query("TRUNCATE TABLE " + quote(d.keyspace) + "." + quote(table)).ExecContext(ctx)
	}
	if err != nil {
		return fmt.Errorf("cassandra: empty table %s, for which all members have to be there: %w", table, err)
	}
	return nil
}

// timestamp orders writes, in microseconds since 1970: the later one stays. It is the client's,
// or two writes of one thread, of which different coordinators have different clocks, could change
// their order. It never steps back, as a wall clock does.
func (d *driver) timestamp() int64 { return d.begun.UnixMicro() + time.Since(d.begun).Microseconds() }
