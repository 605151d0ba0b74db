package conn

import (
	"context"
	"time"
)

// A connection without an answer for so long, or ten times what most answers take, takes nothing new.
const (
	shortestSilence = 100 * time.Millisecond
	silenceFactor   = 10
)

// Silence is the time without an answer after which a connection takes nothing new.
func (u *Usual) Silence() time.Duration { return max(shortestSilence, silenceFactor*u.p99()) }

// connect begins an attempt to connect, if there are too few connections, and the last attempt is long
// enough ago. s.mu is held.
func (s *Shared) connect() {
	if s.closed || s.retired || !s.lacking() || s.timed {
		return
	}
	if early := AttemptEvery - time.Since(s.began); early > 0 {
		s.connectIn(early)
		return
	}
	s.began = time.Now()
	s.ended.Go(s.attempt)
	s.connectIn(AttemptEvery)
}

// connectIn does so later.
func (s *Shared) connectIn(wait time.Duration) {
	s.timed = true
	time.AfterFunc(wait, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.timed = false
		s.connect()
	})
}

// lacking says that another connection is to be made. Attempts that no member has answered don't count:
// one that was cut off is reached by the first attempt that begins afterwards.
func (s *Shared) lacking() bool {
	return s.taking()+s.greeting < s.most && len(s.lines)+s.greeting < 2*s.most
}

// taking is how many connections take operations.
func (s *Shared) taking() (count int) {
	for _, l := range s.lines {
		if !l.silent && !l.retired {
			count++
		}
	}
	return count
}

func (s *Shared) attempt() {
	ctx, cancel := context.WithTimeout(s.ctx, DialTimeout)
	defer cancel()
	begun := time.Now()
	reached, err := s.dial.Reach(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.failed(err)
		return
	}
	if s.closed || s.retired || !s.lacking() {
		reached.Close() // there is nobody to tell of an error
		return
	}
	s.greeting++
	s.mu.Unlock()
	made, err := s.dial.greet(ctx, reached)
	s.mu.Lock()
	s.greeting--
	switch {
	case err != nil:
		s.failed(err)
	case s.closed || s.retired:
		made.HangUp()
	default:
		s.counts.Made(begun)
		s.take(made)
	}
}

// failed fails all that wait, unless there are connections to wait for.
func (s *Shared) failed(err error) {
	if len(s.lines) == 0 && !s.closed {
		s.failure = err
		s.refuse(err)
	}
}

func (s *Shared) take(made *Conn) {
	s.failure = nil
	s.lines = append(s.lines, &line{Conn: made, of: s, quiet: time.Now()})
	if s.taking() >= s.most && !s.full {
		s.full = true
		close(s.enough)
	}
	s.retire() // silent ones may have answered meanwhile
	s.admit()
	if !s.full {
		s.began = time.Time{} // the first ones follow each other at once
		s.timed = false
		s.connect()
	}
}

// watch looks at all connections again and again, and replaces those that are lost, or silent.
func (s *Shared) watch() {
	every := time.NewTicker(AttemptEvery)
	defer every.Stop()
	for {
		select {
		case now := <-every.C:
			s.mu.Lock()
			s.look(now)
			s.mu.Unlock()
		case <-s.ctx.Done():
			return
		}
	}
}

func (s *Shared) look(now time.Time) {
	longest := s.usual.Silence()
	for _, l := range append([]*line(nil), s.lines...) {
		switch {
		case l.load == 0 && !l.sound():
			s.kill(l, errEnded, nil)
		case l.load == 0 || l.answers != l.seen:
			l.seen, l.quiet = l.answers, now
		case now.Sub(l.quiet) >= longest:
			l.silent = true
		}
	}
	s.connect()
}

// retire lets connections end that are too many, since silent ones have answered after all.
func (s *Shared) retire() {
	for _, l := range s.lines {
		if s.taking() <= s.most {
			return
		}
		if l.silent || l.retired {
			continue
		}
		if l.retired = true; l.load == 0 {
			defer s.dismiss(l)
		}
	}
}

// dismiss ends a connection that has nothing to answer any more.
func (s *Shared) dismiss(l *line) {
	s.remove(l)
	l.HangUp()
}
