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

// lookout knows which member owns which partition: as one of the members sees it, who tells
// of each change. It is safe for concurrent use.
type lookout struct {
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

// newLookout begins to look.
func newLookout(addresses []string, cluster string) *lookout {
	ctx, cancel := context.WithCancel(context.Background())
	l := &lookout{addresses: addresses, cluster: cluster, stop: cancel, done: make(chan struct{}), names: make([]uuid, len(addresses))}
	go func() {
		defer close(l.done)
		for member := 0; ctx.Err() == nil; member = (member + 1) % len(addresses) {
			l.follow(ctx, member)
			select {
			case <-time.After(followRetry):
			case <-ctx.Done():
			}
		}
	}()
	return l
}

func (l *lookout) close() {
	l.stop()
	<-l.done
}

// partitions is how many there are; 0 means that no member told yet.
func (l *lookout) partitions() int32 { return l.count.Load() }

// learn notes what a member said of itself.
func (l *lookout) learn(member int, said authenticated) {
	l.count.Store(said.partitions)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.names[member] != said.member {
		l.names[member] = said.member
		l.tabulate()
	}
}

func (l *lookout) setOwners(owners []uuid) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owners = owners
	l.tabulate()
}

func (l *lookout) tabulate() { l.table.Learn(partition.Places(l.owners, l.names)) }

// shard is that of a key; 0 while none is known.
func (l *lookout) shard(key []byte) uint8 {
	if count := l.partitions(); count > 0 {
		return l.table.Shard(int(partitionOf(key, count)))
	}
	return 0
}

// strangers are the members that have to be asked for their names.
func (l *lookout) strangers() []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	owners := map[uuid]bool{}
	for _, owner := range l.owners {
		owners[owner] = true
	}
	return partition.Strangers(owners, l.names)
}

// identify asks the strangers for their names.
func (l *lookout) identify() {
	var all sync.WaitGroup
	for _, member := range l.strangers() {
		all.Go(func() {
			link := newLink(l.addresses[member], l.cluster)
			if _, err := link.ready(time.Now().Add(identifyTimeout)); err == nil {
				l.learn(member, link.said)
			}
			link.drop()
		})
	}
	all.Wait()
}

// follow takes over the view of one member for as long as it answers.
func (l *lookout) follow(ctx context.Context, member int) {
	link := newLink(l.addresses[member], l.cluster)
	defer link.drop()
	if _, err := link.ready(time.Now().Add(dialTimeout)); err != nil {
		return
	}
	conn := link.conn
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	l.learn(member, link.said)
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
			l.identify()
		case err != nil:
			return
		default:
			if err := conn.SetReadDeadline(time.Now().Add(silence)); err != nil || !l.hear(link) {
				return
			}
			heard = time.Now()
		}
	}
}

// hear reads one message of the member that is followed.
func (l *lookout) hear(link *link) bool {
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
	l.setOwners(owners)
	l.identify()
	return true
}
