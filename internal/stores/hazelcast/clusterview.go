package hazelcast

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kvbench/kvbench/internal/stores/partition"
)

const (
	// followRetry is how soon another member is asked for its view after one that is lost.
	followRetry = 100 * time.Millisecond
	// pingEvery is how long a member may say nothing before it is asked whether it is there,
	// and silence how long it may say nothing at all.
	pingEvery = time.Second
	silence   = 5 * time.Second
	// identifyTimeout bounds asking a member for its name.
	identifyTimeout = time.Second
)

// clusterView knows which member owns which partition. It has this from one of the members, which tells of each change.
// It is safe for concurrent use.
type clusterView struct {
	addresses []string
	cluster   string
	count     atomic.Int32 // of partitions; 0 until a member told
	table     partition.Table
	stop      context.CancelFunc
	done      chan struct{}

	mu     sync.Mutex
	names  []uuid // of the members, by their place
	owners []uuid // of the partitions
}

// newClusterView begins to follow a member.
func newClusterView(addresses []string, cluster string) *clusterView {
	ctx, cancel := context.WithCancel(context.Background())
	v := &clusterView{addresses: addresses, cluster: cluster, stop: cancel, done: make(chan struct{}), names: make([]uuid, len(addresses))}
	go func() {
		defer close(v.done)
		for member := 0; ctx.Err() == nil; member = (member + 1) % len(addresses) {
			v.follow(ctx, member)
			select {
			case <-time.After(followRetry):
			case <-ctx.Done():
			}
		}
	}()
	return v
}

func (v *clusterView) close() {
	v.stop()
	<-v.done
}

// partitions is how many there are; 0 means that no member told yet.
func (v *clusterView) partitions() int32 { return v.count.Load() }

// learn notes what a member said of itself.
func (v *clusterView) learn(member int, said authenticated) {
	v.count.Store(said.partitions)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.names[member] != said.member {
		v.names[member] = said.member
		v.tabulate()
	}
}

func (v *clusterView) setOwners(owners []uuid) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.owners = owners
	v.tabulate()
}

func (v *clusterView) tabulate() { v.table.Learn(partition.Places(v.owners, v.names)) }

// shard is that of a key; 0 while none is known.
func (v *clusterView) shard(key []byte) uint8 {
	if count := v.partitions(); count > 0 {
		return v.table.Shard(int(partitionOf(key, count)))
	}
	return 0
}

// strangers are the members that have to be asked for their names.
func (v *clusterView) strangers() []int {
	v.mu.Lock()
	defer v.mu.Unlock()
	owners := map[uuid]bool{}
	for _, owner := range v.owners {
		owners[owner] = true
	}
	return partition.Strangers(owners, v.names)
}

// identify asks the strangers for their names.
func (v *clusterView) identify() {
	var all sync.WaitGroup
	for _, member := range v.strangers() {
		all.Go(func() {
			link := newLink(v.addresses[member], v.cluster)
			if _, err := link.ready(time.Now().Add(identifyTimeout)); err == nil {
				v.learn(member, link.said)
			}
			link.drop()
		})
	}
	all.Wait()
}

// follow takes over the view of one member for as long as it answers.
func (v *clusterView) follow(ctx context.Context, member int) {
	link := newLink(v.addresses[member], v.cluster)
	defer link.drop()
	if _, err := link.ready(time.Now().Add(dialTimeout)); err != nil {
		return
	}
	conn := link.Conn()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	v.learn(member, link.said)
	request := builder{}
	appendPlain(&request, kindClusterView, link.number())
	if _, err := conn.Write(request.out); err != nil {
		return
	}
	for heard := time.Now(); time.Since(heard) < silence; {
		if err := conn.SetReadDeadline(time.Now().Add(pingEvery)); err != nil {
			return
		}
		_, err := link.in.in.Peek(1)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			if err := conn.SetWriteDeadline(time.Now().Add(silence)); err != nil {
				return
			}
			request.out = request.out[:0]
			appendPlain(&request, kindPing, link.number())
			if _, err := conn.Write(request.out); err != nil {
				return
			}
			v.identify()
		case err != nil:
			return
		default:
			if err := conn.SetReadDeadline(time.Now().Add(silence)); err != nil || !v.hear(link) {
				return
			}
			heard = time.Now()
		}
	}
}

// hear reads one message of the member that is followed.
func (v *clusterView) hear(link *link) bool {
	m, err := link.in.next()
	if err != nil || m.kind() == kindError {
		return false
	}
	if !m.isEvent() || m.kind() != kindPartitionsView {
		return true
	}
	owners, err := decodePartitions(m, link.said.partitions)
	if err != nil {
		return false
	}
	v.setOwners(owners)
	v.identify()
	return true
}
