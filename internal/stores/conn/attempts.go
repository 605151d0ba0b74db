package conn

import (
	"cmp"
	"context"
	"errors"
	"net"
	"time"
)

// AttemptEvery is how long after an attempt to connect to a member the next one begins at the earliest.
const AttemptEvery = 20 * time.Millisecond

// member is one of those that operations go to, and the connections to it.
type member struct {
	Opener
	of *Places

	lines    []*Line
	next     int         // of them, to be looked at first
	greeting []*greeting // the oldest is the first
	began    time.Time
	timed    bool          // the next attempt has its time
	failure  error         // of the last attempt, as long as there is no connection
	enough   chan struct{} // closed when full is set
	full     bool          // all connections have been there
	usual    Usual
	strain   strain
}

// greeting is an attempt that the member's kernel has answered, and the member itself not yet.
type greeting struct {
	since   time.Time
	within  time.Duration // it has that time in any case
	abandon context.CancelFunc
}

// leastPatience is how long a member may take for its greeting at least: a little less than it takes to begin as
// many attempts as there usually are connections, so that the oldest can go when the next one is due.
const leastPatience = 15 * AttemptEvery

// connect begins an attempt to connect, if there are too few connections, and the last attempt is long
// enough ago. The lock is held.
//
// Where a member takes connections and says nothing, attempts hang until their time is over. Then the oldest
// makes room for a new one: what a member lost while it was away it never answers, and the first attempt after
// its return should not wait for those before.
func (m *member) connect() {
	if m.over() || m.timed || !m.lacking() && m.stale() == nil {
		return
	}
	if early := AttemptEvery - time.Since(m.began); early > 0 {
		m.connectIn(early)
		return
	}
	if !m.lacking() {
		oldest := m.stale()
		m.forget(oldest)
		oldest.abandon()
		m.strain.late(oldest.since)
	}
	m.began = time.Now()
	within := m.within()
	m.of.ended.Go(func() { m.attempt(within) })
	m.connectIn(AttemptEvery)
}

// connectIn does so later.
func (m *member) connectIn(wait time.Duration) {
	m.timed = true
	time.AfterFunc(wait, func() {
		m.of.mu.Lock()
		defer m.of.mu.Unlock()
		m.timed = false
		m.connect()
	})
}

// over says that nobody needs connections any more.
func (m *member) over() bool { return m.of.closed || m.of.retired }

// lacking says that another connection is to be made. Attempts that no member has answered don't count:
// one that was cut off is reached by the first attempt that begins afterwards.
func (m *member) lacking() bool {
	return m.taking()+len(m.greeting) < m.of.most && len(m.lines)+len(m.greeting) < 2*m.of.most &&
		(m.AtOnce == 0 || len(m.greeting) < m.strain.atOnce(m.AtOnce))
}

// stale is the attempt that makes room for another one; nil if none does.
func (m *member) stale() *greeting {
	if m.taking() >= m.of.most || len(m.greeting) == 0 {
		return nil
	}
	oldest := m.greeting[0]
	patience := max(leastPatience, m.usual.Silence(), silenceFactor*m.of.counts.meanConnect(), oldest.within)
	if time.Since(oldest.since) < patience {
		return nil
	}
	return oldest
}

// forget says whether the attempt was still wanted.
func (m *member) forget(gone *greeting) bool {
	for i, g := range m.greeting {
		if g == gone {
			m.greeting = append(m.greeting[:i], m.greeting[i+1:]...)
			return true
		}
	}
	return false
}

// taking is how many connections take operations.
func (m *member) taking() (count int) {
	for _, l := range m.lines {
		if !l.silent && !l.retired {
			count++
		}
	}
	return count
}

func (m *member) attempt(within time.Duration) {
	ctx, cancel := context.WithTimeout(m.of.ctx, cmp.Or(within, DialTimeout))
	defer cancel()
	begun := time.Now()
	reached, err := m.Reach(ctx)
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	if err != nil {
		m.failed(err)
		return
	}
	if m.over() || !m.lacking() {
		reached.Close() // there is nobody to tell of an error
		return
	}
	own := &greeting{since: time.Now(), within: within, abandon: cancel}
	m.greeting = append(m.greeting, own)
	m.of.mu.Unlock()
	made, err := inTime(ctx, reached, m.Greet)
	m.of.mu.Lock()
	wanted := m.forget(own)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		m.strain.late(own.since)
	} else if err == nil {
		m.strain.inTime(time.Since(own.since), cmp.Or(m.Within, DialTimeout))
	}
	switch {
	case err != nil && wanted:
		m.failed(err)
	case err != nil:
	case m.over() || !wanted:
		made.HangUp()
	default:
		m.of.counts.Made(begun)
		m.take(made)
	}
}

// inTime greets before ctx ends.
func inTime[T any](ctx context.Context, reached net.Conn, greet func(context.Context, net.Conn) (T, error)) (made T, err error) {
	// A deadline in the past ends what is under way when ctx does.
	stop := context.AfterFunc(ctx, func() { _ = reached.SetDeadline(time.Unix(1, 0)) })
	made, err = greet(ctx, reached)
	if !stop() && err == nil {
		err = ctx.Err()
		if link, is := any(made).(Link); is {
			link.HangUp() // it may have more than the connection
		}
	}
	if err != nil {
		reached.Close() // there is nobody to tell of an error
	}
	return made, err
}

// failed fails all that wait, unless there are connections to wait for.
func (m *member) failed(err error) {
	if len(m.lines) > 0 || m.of.closed {
		return
	}
	m.failure = err
	if all := m.of.hopeless(); all != nil {
		m.of.refuse(all)
	}
}

func (m *member) take(made Link) {
	m.failure = nil
	m.lines = append(m.lines, &Line{Link: made, of: m, quiet: time.Now()})
	if m.taking() >= m.of.most && !m.full {
		m.full = true
		close(m.enough)
	}
	m.retire() // silent ones may have answered meanwhile
	m.of.admit()
	if !m.full {
		m.began = time.Time{} // the first ones follow each other at once
		m.timed = false
		m.connect()
	}
}

// watch looks at all connections again and again, and replaces those that are lost, or silent.
func (p *Places) watch() {
	every := time.NewTicker(AttemptEvery)
	defer every.Stop()
	for {
		select {
		case now := <-every.C:
			p.mu.Lock()
			for _, m := range p.members {
				m.look(now)
			}
			p.mu.Unlock()
		case <-p.ctx.Done():
			return
		}
	}
}

func (m *member) look(now time.Time) {
	longest := m.usual.Silence()
	for _, l := range append([]*Line(nil), m.lines...) {
		switch {
		case l.load == 0 && (l.silent || !l.Sound()):
			m.of.kill(l, errEnded)
		case l.load == 0 && !l.owing || l.answers != l.seen:
			l.seen, l.quiet = l.answers, now
		case now.Sub(l.quiet) >= longest:
			l.silent = true
		}
	}
	m.connect()
}

// free is the line with the fewest operations that takes another one; of several, each has its turn.
func (m *member) free() (best *Line) {
	m.next++
	for i := range m.lines {
		l := m.lines[(m.next+i)%len(m.lines)]
		if !l.silent && !l.retired && l.load < m.of.depth && (best == nil || l.load < best.load) {
			best = l
		}
	}
	return best
}

// retire lets connections end that are too many, since silent ones have answered after all.
func (m *member) retire() {
	for _, l := range m.lines {
		if m.taking() <= m.of.most {
			return
		}
		if l.silent || l.retired {
			continue
		}
		if l.retired = true; l.load == 0 {
			defer m.dismiss(l)
		}
	}
}

// dismiss ends a connection that has nothing to answer any more.
func (m *member) dismiss(l *Line) {
	if m.remove(l) {
		l.HangUp()
	}
}

// remove says whether it was there.
func (m *member) remove(gone *Line) bool {
	for i, l := range m.lines {
		if l == gone {
			m.lines = append(m.lines[:i], m.lines[i+1:]...)
			return true
		}
	}
	return false
}
