package ignite

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/partition"
)

const (
	// lookEvery is how often the owners are asked for when no answer says that they are others.
	lookEvery = time.Second
	// lookRetry is how soon another member is asked after one that didn't answer.
	lookRetry = 100 * time.Millisecond
	// silence is how long a member may take to say who owns what.
	silence = 5 * time.Second
	// identifyTimeout bounds asking a member for its name.
	identifyTimeout = time.Second
)

// lookout knows which member owns which partition, as one of the members sees it. Answers say when
// that is another one than before. It is safe for concurrent use.
type lookout struct {
	addresses []string
	who       *stores.Credentials // nil: nobody, in plain text
	prefix    string              // of the caches' names
	wake      chan struct{}
	stop      context.CancelFunc
	done      chan struct{}

	followed, asked []*link // to the members; logins go on when nobody waits for them

	mu     sync.Mutex
	names  []uuid // of the members, by their place
	tables map[string]*table
	known  version
}

// newLookout begins to look.
func newLookout(addresses []string, who *stores.Credentials, prefix string) *lookout {
	ctx, cancel := context.WithCancel(context.Background())
	l := &lookout{
		addresses: addresses, who: who, prefix: prefix, wake: make(chan struct{}, 1), stop: cancel, done: make(chan struct{}),
		names: make([]uuid, len(addresses)), tables: map[string]*table{},
	}
	for _, address := range addresses {
		l.followed = append(l.followed, newLink(address, who, nil))
		l.asked = append(l.asked, newLink(address, who, nil))
	}
	go func() {
		defer close(l.done)
		for member := 0; ctx.Err() == nil; member = (member + 1) % len(addresses) {
			l.follow(ctx, member)
			select {
			case <-time.After(lookRetry):
			case <-ctx.Done():
			}
		}
	}()
	return l
}

func (l *lookout) close() {
	l.stop()
	<-l.done
	for member := range l.addresses {
		l.followed[member].close()
		l.asked[member].close()
	}
}

// table is the one of that name.
func (l *lookout) table(name string) *table {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.tables[name]
	if t == nil {
		cache := l.prefix + name
		t = &table{name: name, cache: cache, id: cacheID(cache), making: make(chan struct{}, 1)}
		l.tables[name] = t
	}
	return t
}

// look asks for the owners soon.
func (l *lookout) look() {
	select {
	case l.wake <- struct{}{}:
	default: // it is going to
	}
}

// moved notes that a member knows of that version.
func (l *lookout) moved(to version) {
	l.mu.Lock()
	news := to.after(l.known)
	l.mu.Unlock()
	if news {
		l.look()
	}
}

// learn notes the name of the member that answers at an address.
func (l *lookout) learn(member int, name uuid) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.names[member] == name {
		return
	}
	l.names[member] = name
	for _, t := range l.tables {
		l.place(t)
	}
}

// setOwners notes who owns what since that version.
func (l *lookout) setOwners(at version, all []ownership) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = at
	for _, own := range all {
		for _, t := range l.tables {
			if slices.Contains(own.caches, t.id) {
				t.owners = own.owners
				l.place(t)
			}
		}
	}
}

// place finds the members whose names the owners are.
func (l *lookout) place(t *table) { t.places.Learn(partition.Places(t.owners, l.names)) }

// caches are those that the members have, by their numbers.
func (l *lookout) caches() (ids []int32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.tables {
		if t.made.Load() {
			ids = append(ids, t.id)
		}
	}
	return ids
}

// strangers are the members that have to be asked for their names.
func (l *lookout) strangers() []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	owners := map[uuid]bool{}
	for _, t := range l.tables {
		for _, owner := range t.owners {
			owners[owner] = true
		}
	}
	return partition.Strangers(owners, l.names)
}

// identify asks the strangers for their names.
func (l *lookout) identify() {
	var all sync.WaitGroup
	for _, member := range l.strangers() {
		all.Go(func() {
			link := l.asked[member]
			link.Redial.Hurry()
			if _, err := link.ready(time.Now().Add(identifyTimeout)); err == nil {
				l.learn(member, link.member)
			}
			link.drop()
		})
	}
	all.Wait()
}

// follow takes over the view of one member for as long as it answers.
func (l *lookout) follow(ctx context.Context, member int) {
	link := l.followed[member]
	defer link.drop()
	link.Redial.Hurry()
	if _, err := link.ready(time.Now().Add(dialTimeout)); err != nil {
		return
	}
	conn := link.conn
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	l.learn(member, link.member)
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	for {
		if err := l.ask(link); err != nil {
			return
		}
		l.identify()
		select {
		case <-ticks.C:
		case <-l.wake:
		case <-ctx.Done():
			return
		}
	}
}

// ask asks who owns the partitions.
func (l *lookout) ask(link *link) error {
	caches := l.caches()
	if err := link.conn.SetDeadline(time.Now().Add(silence)); err != nil {
		return err
	}
	var request builder
	if len(caches) == 0 {
		appendState(&request, link.number()) // whether it is there
	} else {
		appendPartitions(&request, link.number(), caches)
	}
	m, err := link.exchange(request.out)
	if err != nil || len(caches) == 0 {
		return err
	}
	at, all, err := decodePartitions(m.body, len(caches))
	if err != nil {
		return err
	}
	l.setOwners(at, all)
	return nil
}
