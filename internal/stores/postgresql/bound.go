package postgresql

import (
	"time"

	"github.com/kvbench/kvbench/internal/stores/conn"
)

// bound is how many connections sessions share: most, and never twice as many, those included whose
// statements aren't answered. Where most is 0 there is no bound, and each session has one.
type bound struct {
	most   int
	silent int       // connections without an answer for too long
	next   time.Time // no attempt before
	usual  conn.Usual
	enough chan struct{} // closed when there are most for the first time
}

// allows says whether another attempt to connect may begin.
func (b *bound) allows(open, dialing int) bool {
	return b.most == 0 || open-b.silent+dialing < b.most && open+dialing < 2*b.most
}

// exceeded says whether one of so many connections is to be ended.
func (b *bound) exceeded(open int) bool { return b.most > 0 && open-b.silent > b.most }

// look notes how many there are.
func (b *bound) look(open int) {
	if b.most == 0 {
		return
	}
	if open-b.silent >= b.most {
		select {
		case <-b.enough:
		default:
			close(b.enough)
		}
	}
}

// turn is how long the next attempt has to wait for its time.
func (b *bound) turn() time.Duration {
	now := time.Now()
	if b.next.Before(now) {
		b.next = now
	}
	wait := b.next.Sub(now)
	b.next = b.next.Add(conn.AttemptEvery)
	return wait
}

// took tells how long a statement took that began then.
func (p *pool) took(begun time.Time) {
	p.mu.Lock()
	p.bound.usual.End(begun)
	p.mu.Unlock()
}

// watch looks again and again which connections don't answer, and has others made in their place.
func (p *pool) watch() {
	every := time.NewTicker(conn.AttemptEvery)
	defer every.Stop()
	for {
		select {
		case now := <-every.C:
			p.mu.Lock()
			p.bound.silent = 0
			for l := range p.lent {
				if begun := l.begun.Load(); begun != nil && now.Sub(*begun) > p.bound.usual.Silence() {
					p.bound.silent++
				}
			}
			p.bound.look(p.open)
			if p.bound.allows(p.open, p.dialing) {
				p.wanted = max(p.dialing+1, p.wanted) // beside attempts that nobody answers
				p.dialMore()
			}
			p.mu.Unlock()
		case <-p.ctx.Done():
			return
		}
	}
}
