package cassandra

import (
	"slices"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores/conn"
)

// bound is how many operations may be under way to each member. gocql chooses the connection, the one
// with the fewest, and tells nobody which: so it is not bounded for each connection, but for all of a
// member's. It is safe for concurrent use.
type bound struct {
	most int // operations to one member

	mu      sync.Mutex
	members map[string]*under // by gocql's name of the host
}

// under is what is under way to one member.
type under struct {
	count   int
	waiting []chan struct{} // told that its place is there
	quiet   time.Time       // since when there is no answer, or was nothing to answer
	asked   time.Time       // when an operation was last given a place
	owing   bool            // an operation left without its answer, and none has come since
	usual   conn.Usual
}

// place is an operation's on the connections to a member.
type place struct {
	host  string
	begun time.Time // if it is to be a sample
}

func newBound(connections int) *bound {
	return &bound{most: connections * conn.Depth, members: map[string]*under{}}
}

// take waits for a place on the first of the hosts that isn't silent and has one, or, if none has, on the
// first that isn't silent, or on the first.
func (b *bound) take(hosts []string) (p place, waited time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	sound := func(host string) bool { return !b.of(host).silent(now) }
	at := slices.IndexFunc(hosts, func(host string) bool { return sound(host) && b.of(host).count < b.most })
	if at < 0 {
		at = max(0, slices.IndexFunc(hosts, sound))
	}
	host := hosts[at]
	u := b.of(host)
	if u.count < b.most {
		u.asked = now
		if u.count++; u.count == 1 && !u.owing {
			u.quiet = now
		}
		return place{host, u.usual.Begin()}, 0
	}
	mine := make(chan struct{})
	u.waiting = append(u.waiting, mine)
	b.mu.Unlock()
	<-mine
	b.mu.Lock()
	return place{host, u.usual.Begin()}, time.Since(now)
}

// give hands a place on. answered says that the member has answered the operation.
func (b *bound) give(p place, answered bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	u := b.of(p.host)
	if u.owing = !answered; answered {
		u.quiet = time.Now()
		u.usual.End(p.begun)
	}
	if len(u.waiting) > 0 {
		close(u.waiting[0])
		u.waiting = u.waiting[1:]
		return
	}
	u.count--
}

func (b *bound) of(host string) *under {
	if b.members[host] == nil {
		b.members[host] = &under{}
	}
	return b.members[host]
}

// retryEvery is how often a silent member that has nothing to answer is asked again: nobody else would hear of its
// return.
const retryEvery = time.Second

// silent says that there was no answer for too long.
func (u *under) silent(now time.Time) bool {
	if u.count == 0 && (!u.owing || now.Sub(u.asked) > retryEvery) {
		return false
	}
	return now.Sub(u.quiet) > u.usual.Silence()
}
