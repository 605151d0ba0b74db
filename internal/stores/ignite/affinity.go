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

// affinity knows which member owns which partition. It asks one of the members for this, every lookEvery, and as soon as
// an answer to anything says that the owners have changed. It is safe for concurrent use.
type affinity struct {
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

// newAffinity begins to follow a member.
func newAffinity(addresses []string, who *stores.Credentials, prefix string) *affinity {
	ctx, cancel := context.WithCancel(context.Background())
	a := &affinity{
		addresses: addresses, who: who, prefix: prefix, wake: make(chan struct{}, 1), stop: cancel, done: make(chan struct{}),
		names: make([]uuid, len(addresses)), tables: map[string]*table{},
	}
	for _, address := range addresses {
		a.followed = append(a.followed, newLink(address, who, nil))
		a.asked = append(a.asked, newLink(address, who, nil))
	}
	go func() {
		defer close(a.done)
		for member := 0; ctx.Err() == nil; member = (member + 1) % len(addresses) {
			a.follow(ctx, member)
			select {
			case <-time.After(lookRetry):
			case <-ctx.Done():
			}
		}
	}()
	return a
}

func (a *affinity) close() {
	a.stop()
	<-a.done
	for member := range a.addresses {
		a.followed[member].close()
		a.asked[member].close()
	}
}

// table is the one of that name.
func (a *affinity) table(name string) *table {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.tables[name]
	if t == nil {
		cache := a.prefix + name
		t = &table{name: name, cache: cache, id: cacheID(cache), making: make(chan struct{}, 1)}
		a.tables[name] = t
	}
	return t
}

// look asks for the owners soon.
func (a *affinity) look() {
	select {
	case a.wake <- struct{}{}:
	default: // it is going to
	}
}

// moved notes that a member knows of that version.
func (a *affinity) moved(to version) {
	a.mu.Lock()
	news := to.after(a.known)
	a.mu.Unlock()
	if news {
		a.look()
	}
}

// learn notes the name of the member that answers at an address.
func (a *affinity) learn(member int, name uuid) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.names[member] == name {
		return
	}
	a.names[member] = name
	for _, t := range a.tables {
		a.place(t)
	}
}

// setOwners notes who owns what since that version.
func (a *affinity) setOwners(at version, all []ownership) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known = at
	for _, own := range all {
		for _, t := range a.tables {
			if slices.Contains(own.caches, t.id) {
				t.owners = own.owners
				a.place(t)
			}
		}
	}
}

// place finds the members whose names the owners are.
func (a *affinity) place(t *table) { t.places.Learn(partition.Places(t.owners, a.names)) }

// caches are those that the members have, by their numbers.
func (a *affinity) caches() (ids []int32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.tables {
		if t.made.Load() {
			ids = append(ids, t.id)
		}
	}
	return ids
}

// strangers are the members that have to be asked for their names.
func (a *affinity) strangers() []int {
	a.mu.Lock()
	defer a.mu.Unlock()
	owners := map[uuid]bool{}
	for _, t := range a.tables {
		for _, owner := range t.owners {
			owners[owner] = true
		}
	}
	return partition.Strangers(owners, a.names)
}

// identify asks the strangers for their names.
func (a *affinity) identify() {
	var all sync.WaitGroup
	for _, member := range a.strangers() {
		all.Go(func() {
			link := a.asked[member]
			link.Hurry()
			if _, err := link.ready(time.Now().Add(identifyTimeout)); err == nil {
				a.learn(member, link.member)
			}
			link.drop()
		})
	}
	all.Wait()
}

// follow takes over the view of one member for as long as it answers.
func (a *affinity) follow(ctx context.Context, member int) {
	link := a.followed[member]
	defer link.drop()
	link.Hurry()
	if _, err := link.ready(time.Now().Add(dialTimeout)); err != nil {
		return
	}
	conn := link.Conn()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	a.learn(member, link.member)
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	for {
		if err := a.ask(link); err != nil {
			return
		}
		a.identify()
		select {
		case <-ticks.C:
		case <-a.wake:
		case <-ctx.Done():
			return
		}
	}
}

// ask asks who owns the partitions.
func (a *affinity) ask(link *link) error {
	caches := a.caches()
	if err := link.Conn().SetDeadline(time.Now().Add(silence)); err != nil {
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
	a.setOwners(at, all)
	return nil
}
