package etcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// Reconnecting starts at once and soon again: gRPC's own backoff of up to two minutes
// would be measured as the store's outage. What the last pause is too long is added to the outage of a
// cluster of one.
const (
	reconnectBase = 50 * time.Millisecond
	reconnectMax  = 100 * time.Millisecond
	dialTimeout   = time.Second
)

// An idle connection is asked for a sign of life as often as gRPC allows. Under load the
// timeout is the more important one: it bounds how long sent data may stay unanswered by
// the peer's kernel, so a member that is cut off loses its connection after that.
const (
	keepaliveEvery   = 10 * time.Second
	keepaliveTimeout = 3 * time.Second
)

// deleteChunk bounds what one request of Reset deletes: one raft entry's worth of work.
const deleteChunk = 1000

// driver has a client of its own for what it asks beside the operations, of which there is one connection to
// each member. Sessions share connections to each member, or each has one.
type driver struct {
	members
	client       *clientv3.Client
	kv           pb.KVClient
	serializable bool
	byField      bool     // a record is a key for each field
	shared       bool     // others use the members as well
	leases       *leases  // nil: what is written stays for ever
	users        *tokens  // nil: members ask for no user
	background   []func() // each ends something, and returns when it has

	counts conn.Counts
	places *conn.Places // nil: each session has connections of its own
}

// Open connects in the background: it succeeds when the configuration can work, whether
// or not a member answers yet (see Ping).
func Open(cfg stores.Config) (stores.Driver, error) {
	reads, byField := strings.CutSuffix(cmp.Or(cfg.Mode, ModeLinearizable), fieldsSuffix)
	if reads != ModeLinearizable && reads != ModeSerializable {
		return nil, fmt.Errorf("etcd: unknown mode %q: use %s or %s, or one of these with %s at its end", cfg.Mode, ModeLinearizable, ModeSerializable, fieldsSuffix)
	}
	credentials, err := credentialsOf(cfg)
	if err != nil {
		return nil, err
	}
	d := &driver{
		members: members{cfg.Addresses, encryption(credentials)}, users: newTokens(credentials),
		serializable: reads == ModeSerializable, byField: byField, shared: cfg.Shared,
	}
	if d.client, err = d.newClient(); err != nil {
		return nil, err
	}
	d.kv = pb.NewKVClient(d.client.ActiveConnection())
	if d.users != nil {
		member := pb.NewAuthClient(d.client.ActiveConnection())
		from := source{
			ask:    func(ctx context.Context, a authenticator) (string, error) { return a.authenticate(ctx, member) },
			spread: d.catchUp,
		}
		d.background = append(d.background, inBackground(func(ctx context.Context) { d.users.run(ctx, from) }))
	}
	if cfg.TTL > 0 {
		d.leases = newLeases(pb.NewLeaseClient(d.client.ActiveConnection()), cfg.TTL, cfg.Timeout)
		d.background = append(d.background, inBackground(d.leases.run))
	}
	if cfg.Connections > 0 {
		d.places = conn.NewPlaces(d.openers(d.withUser()...), &d.counts, cfg.Connections, conn.Depth)
	}
	return d, nil
}

// newClient has one connection to each member, and its requests go to those that are connected, in turn.
// A request waits for a connection until its deadline, so threads don't spin while the whole store is away.
func (d *driver) newClient(more ...grpc.DialOption) (*clientv3.Client, error) {
	options := append([]grpc.DialOption{connectParams(), grpc.WithNoProxy()}, d.withUser()...)
	client, err := clientv3.New(clientv3.Config{
		Endpoints:            d.addresses,
		TLS:                  d.encrypted,
		DialKeepAliveTime:    keepaliveEvery,
		DialKeepAliveTimeout: keepaliveTimeout,
		// The client counts the first attempt: 1 means no retry, and 0 its default of 100.
		MaxUnaryRetries: 1,
		DialOptions:     append(options, more...),
		Logger:          zap.NewNop(),
	})
	if err != nil {
		return nil, fmt.Errorf("etcd: connect to %v: %w", d.addresses, err)
	}
	return client, nil
}

// withUser is how requests get the user's token, where members ask for one.
func (d *driver) withUser() []grpc.DialOption {
	if d.users == nil {
		return nil
	}
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(d.users.waiting)}
}

// inBackground runs f until it is stopped; stop returns when f has.
func inBackground(f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// NewSession connects to nobody yet.
func (d *driver) NewSession() (stores.Session, error) {
	s := &session{driver: d, turn: conn.NewTurn(), perRecord: usualFields}
	if d.places != nil {
		return s, nil
	}
	s.making = newMaking(d.encrypted)
	own, err := d.newClient(s.making.options()...)
	if err != nil {
		return nil, err
	}
	s.own, s.kv = own, pb.NewKVClient(own.ActiveConnection())
	return s, nil
}

// Connections counts those that sessions share.
func (d *driver) Connections() stores.ConnectionCount { return d.counts.Now() }

// Places are those on the connections to all members, any of which is asked.
func (d *driver) Places() int {
	if d.places == nil {
		return 0
	}
	return d.places.Most()
}

// Connect makes the connections that sessions share.
func (d *driver) Connect(ctx context.Context) error {
	if d.places == nil {
		return nil
	}
	if err := d.places.Await(ctx); err != nil {
		return fmt.Errorf("etcd: connect to the members: %w", err)
	}
	return nil
}

func (d *driver) Close() error {
	for _, stop := range d.background {
		stop()
	}
	if d.places != nil {
		d.places.Close()
	}
	return closeClient(d.client)
}

func closeClient(client *clientv3.Client) error {
	if err := client.Close(); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("etcd: close: %w", err)
	}
	return nil
}

// Ping reads a key that need not exist.
func (d *driver) Ping(ctx context.Context) error {
	if _, err := d.kv.Range(ctx, pingRequest(d.serializable), grpc.WaitForReady(true)); err != nil {
		return fmt.Errorf("etcd: ping: %w", rpctypes.Error(err))
	}
	return nil
}

func pingRequest(serializable bool) *pb.RangeRequest {
	return &pb.RangeRequest{Key: []byte("kvbench/ping"), KeysOnly: true, Limit: 1, Serializable: serializable}
}

// Reset deletes the table chunk by chunk, then compacts, so that the next measurement
// carries no history of this one. Where others use the members it doesn't: all tables, and who
// watches them, have one history.
func (d *driver) Reset(ctx context.Context, table string) error {
	prefix, err := tablePrefix(nil, table)
	if err != nil {
		return err
	}
	end := prefixEnd(prefix)
	for {
		page, err := d.kv.Range(ctx, &pb.RangeRequest{
			Key: prefix, RangeEnd: end, Limit: deleteChunk, KeysOnly: true,
		}, grpc.WaitForReady(true))
		if err != nil {
			return fmt.Errorf("etcd: list table %s: %w", table, rpctypes.Error(err))
		}
		if len(page.Kvs) == 0 && d.shared {
			return nil
		}
		if len(page.Kvs) == 0 {
			return d.compact(ctx, page.Header.Revision)
		}
		last := page.Kvs[len(page.Kvs)-1].Key
		_, err = d.kv.DeleteRange(ctx, &pb.DeleteRangeRequest{
			Key: prefix, RangeEnd: append(last, 0),
		}, grpc.WaitForReady(true))
		if err != nil {
			return fmt.Errorf("etcd: delete from table %s: %w", table, rpctypes.Error(err))
		}
	}
}

func (d *driver) compact(ctx context.Context, revision int64) error {
	_, err := d.kv.Compact(ctx, &pb.CompactionRequest{Revision: revision, Physical: true}, grpc.WaitForReady(true))
	// ErrCompacted: nothing was written since the last compaction.
	if err != nil && !errors.Is(rpctypes.Error(err), rpctypes.ErrCompacted) {
		return fmt.Errorf("etcd: compact at revision %d: %w", revision, rpctypes.Error(err))
	}
	return nil
}
