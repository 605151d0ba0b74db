package conn

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestEachOperationGetsItsOwnAnswer(t *testing.T) {
	e := startEcho(t, "127.0.0.1:0")
	s, counts := share(t, e, 3, 4)
	var all sync.WaitGroup
	for client := range 50 {
		all.Go(func() {
			turn := NewTurn()
			for i := range 200 {
				x := &number{value: 1 + client*1000 + i}
				if sent, err := s.Do(x, turn, within(time.Minute)); err != nil || sent != All || x.got != x.value {
					t.Errorf("%d was answered with %d, %v, %v", x.value, x.got, sent, err)
					return
				}
			}
		})
	}
	all.Wait()
	// On a busy machine a connection may be silent for too long, and be replaced.
	if _, most, _ := e.counts(); most > 2*3 || counts.Now().Opened < 3 || counts.Now().Lost != 0 {
		t.Errorf("%d connections at a time, counted %+v; want 3, and twice as many at most", most, counts.Now())
	}
}

func TestAnOperationWaitsForAPlaceAndItsTimeBeginsThen(t *testing.T) {
	e := startEcho(t, "127.0.0.1:0")
	s, _ := share(t, e, 1, 2)
	release := e.hold()
	var first sync.WaitGroup
	for range 2 {
		first.Go(func() {
			span := within(time.Minute)
			if _, err := s.Do(&number{value: 1}, NewTurn(), span); err != nil || span.Waited > 0 {
				t.Errorf("%v, waited %v; want a place at once", err, span.Waited)
			}
		})
	}
	eventually(t, "both have a place", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.members[0].lines[0].load == 2 })
	done, span := make(chan error), within(time.Minute)
	due := span.Deadline
	go func() {
		_, err := s.Do(&number{value: 3}, NewTurn(), span)
		done <- err
	}()
	eventually(t, "the third one waits", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.waiting.len() == 1 })
	const held = 50 * time.Millisecond
	time.Sleep(held)
	release()
	if err := <-done; err != nil || span.Waited < held || span.Deadline.Sub(due) != span.Waited {
		t.Errorf("%v, waited %v, deadline later by %v", err, span.Waited, span.Deadline.Sub(due))
	}
	first.Wait()
}

func TestALostConnectionTakesItsOwnOperationsAlone(t *testing.T) {
	e := startEcho(t, "127.0.0.1:0")
	const connections, depth = 4, 32
	s, counts := share(t, e, connections, depth)
	release := e.hold()
	var all sync.WaitGroup
	var lost, answered atomic.Int64
	for range connections * depth {
		all.Go(func() {
			switch sent, err := s.Do(&number{value: 1}, NewTurn(), within(time.Minute)); {
			case err == nil:
				answered.Add(1)
			case sent == All:
				lost.Add(1)
			default:
				t.Errorf("%v, %v", sent, err)
			}
		})
	}
	eventually(t, "all have a place", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, l := range s.members[0].lines {
			if o := l.Link.(*ordered); l.load < depth || o.writing || len(o.out) > 0 {
				return false
			}
		}
		return true
	})
	e.closeOne()
	eventually(t, "some are lost", func() bool { return lost.Load() == depth })
	release()
	all.Wait()
	// The operation that read found the end; the others shared its connection.
	if answered.Load() != (connections-1)*depth || counts.Now().Lost != depth-1 {
		t.Errorf("%d were answered, %d lost, %+v", answered.Load(), lost.Load(), counts.Now())
	}
}

func TestASilentConnectionTakesNothingNewAndIsReplaced(t *testing.T) {
	e := startEcho(t, "127.0.0.1:0")
	const connections, depth = 2, 4
	s, counts := share(t, e, connections, depth)
	release := e.hold()
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if _, err := s.Do(&number{value: 1}, NewTurn(), within(time.Minute)); err != nil {
				t.Error(err)
			}
		})
	}
	eventually(t, "it is silent", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.members[0].taking() == 0 })
	eventually(t, "as many are tried as may be open", func() bool { open, _, _ := e.counts(); return open == 2*connections })
	s.mu.Lock()
	for _, l := range s.members[0].lines {
		if l.load != depth {
			t.Errorf("a silent connection has %d operations, not %d", l.load, depth)
		}
	}
	s.mu.Unlock()
	release()
	all.Wait()
	eventually(t, "there are as many as before", func() bool { open, _, _ := e.counts(); return open == connections })
	if _, most, _ := e.counts(); most > 2*connections || counts.Now().Lost != 0 {
		t.Errorf("%d connections at a time, and %+v", most, counts.Now())
	}
}

func TestAMemberThatIsAwayFailsOperationsAtOnceUntilItIsBack(t *testing.T) {
	e := startEcho(t, "127.0.0.1:0")
	s, _ := share(t, e, 2, 4)
	turn := NewTurn()
	e.stop()
	eventually(t, "operations fail", func() bool {
		sent, err := s.Do(&number{value: 1}, turn, within(time.Minute))
		return err != nil && sent == Nothing
	})
	back := startEcho(t, e.address())
	eventually(t, "operations succeed", func() bool {
		_, err := s.Do(&number{value: 1}, turn, within(time.Minute))
		return err == nil
	})
	eventually(t, "all connections are made again", func() bool { open, _, _ := back.counts(); return open == 2 })
}

func TestADeadlineEndsTheConnection(t *testing.T) {
	e := startEcho(t, "127.0.0.1:0")
	s, counts := share(t, e, 1, 4)
	e.mu.Lock()
	e.swallow = true
	e.mu.Unlock()
	begun := time.Now()
	sent, err := s.Do(&number{value: 1}, NewTurn(), within(50*time.Millisecond))
	if took := time.Since(begun); err == nil || sent != All || took < 50*time.Millisecond {
		t.Errorf("%v, %v after %v", sent, err, took)
	}
	if counts.Now().Lost != 0 {
		t.Errorf("it had the connection alone, and %+v", counts.Now())
	}
}

func TestWaitingForAPlaceIsOverWhenItIsToldSo(t *testing.T) {
	e := startEcho(t, "127.0.0.1:0")
	s, _ := share(t, e, 1, 1)
	defer e.hold()()
	go s.Do(&number{value: 1}, NewTurn(), within(time.Minute))
	eventually(t, "the place is taken", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.members[0].lines[0].load == 1 })
	over := make(chan struct{})
	span := within(time.Minute)
	span.Over = over
	close(over)
	if sent, err := s.Do(&number{value: 2}, NewTurn(), span); !errors.Is(err, ErrOver) || sent != Nothing {
		t.Errorf("%v, %v", sent, err)
	}
}

func TestCloseEndsWhatWaitsAndWhatIsUnderWay(t *testing.T) {
	e := startEcho(t, "127.0.0.1:0")
	s, _ := share(t, e, 1, 1)
	defer e.hold()()
	errs := make(chan error)
	for range 3 {
		go func() {
			_, err := s.Do(&number{value: 1}, NewTurn(), within(time.Minute))
			errs <- err
		}()
	}
	eventually(t, "one has the place, and two wait", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.waiting.len() == 2 })
	s.Close()
	for range 3 {
		if err := <-errs; err == nil {
			t.Error("an operation was answered")
		}
	}
}

func TestAttemptsToConnectAreNotManyAtATime(t *testing.T) {
	e := startEcho(t, "127.0.0.1:0")
	e.stop()
	counts := &Counts{}
	var attempts atomic.Int64
	dial := dialer(e.address())
	reach := dial.Reach
	dial.Reach = func(ctx context.Context) (net.Conn, error) {
		attempts.Add(1)
		return reach(ctx)
	}
	begun := time.Now()
	s := NewShared(dial, counts, 8, 1)
	defer s.Close()
	eventually(t, "there are ten attempts", func() bool { return attempts.Load() == 10 })
	if took := time.Since(begun); took < 9*AttemptEvery-AttemptEvery {
		t.Errorf("ten attempts in %v; at most one is to begin every %v", took, AttemptEvery)
	}
}

func TestTheUsualTimeIsThatOfMostAnswers(t *testing.T) {
	var u Usual
	if u.p99() != 0 {
		t.Errorf("without an answer it is %v", u.p99())
	}
	for i := range 1000 {
		took := time.Millisecond
		if i%200 == 0 {
			took = time.Second
		}
		u.counts[bucketOf(uint64(took))]++
		u.total++
	}
	if p99 := u.p99(); p99 < time.Millisecond || p99 > time.Millisecond*9/8 {
		t.Errorf("%v, want a millisecond and at most an eighth more", p99)
	}
	for n := uint64(1); n < 1<<40; n = n*3/2 + 1 {
		if upper := uint64(upperOf(bucketOf(n))); upper <= n || upper > n+max(1, n/8)+1 {
			t.Errorf("%d is in a bucket that ends at %d", n, upper)
		}
	}
}

func TestALateOperationEndsNoConnection(t *testing.T) {
	e := startEcho(t, "127.0.0.1:0")
	s, counts := share(t, e, 1, 32)
	release := e.hold()
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if _, err := s.Do(&number{value: 1}, NewTurn(), within(time.Minute)); err != nil {
				t.Error(err)
			}
		})
	}
	eventually(t, "all are under way", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.members[0].lines[0].load == 10 })
	if sent, err := s.Do(&number{value: 2}, NewTurn(), within(-time.Millisecond)); sent != Nothing || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", sent, err)
	}
	release()
	all.Wait()
	if counts.Now().Lost != 0 {
		t.Errorf("%+v", counts.Now())
	}
}

func TestAnIdleConnectionStaysWhenItsLastDeadlinePasses(t *testing.T) {
	e := startEcho(t, "127.0.0.1:0")
	s, counts := share(t, e, 2, 4)
	s.mu.Lock()
	passed := time.Now()
	lines := append([]*Line(nil), s.members[0].lines...)
	for _, l := range lines {
		if err := l.Link.(*ordered).SetReadDeadline(passed.Add(-time.Second)); err != nil {
			t.Error(err)
		}
	}
	s.mu.Unlock()
	eventually(t, "all have been looked at", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, l := range lines {
			if l.err == nil && !l.quiet.After(passed) {
				return false
			}
		}
		return true
	})
	if _, err := s.Do(&number{value: 1}, NewTurn(), within(time.Minute)); err != nil || counts.Now().Opened != 2 {
		t.Errorf("%v; %d connections were made, want 2", err, counts.Now().Opened)
	}
	for _, l := range lines {
		if l.err != nil {
			t.Errorf("it ended: %v", l.err)
		}
	}
}

// The member reads on when its answer has been taken.
func TestAMemberThatWaitsForItsAnswersToBeTakenIsNotWaitedFor(t *testing.T) {
	e := startEcho(t, "127.0.0.1:0")
	s, counts := share(t, e, 1, 32)
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			turn := NewTurn()
			for range 3 {
				x := &padded{size: 1 << 20}
				if _, err := s.Do(x, turn, within(20*time.Second)); err != nil || x.got != x.size {
					t.Errorf("%v: %d of %d bytes", err, x.got, x.size)
					return
				}
			}
		})
	}
	all.Wait()
	if counts.Now().Lost != 0 {
		t.Errorf("%+v", counts.Now())
	}
}

// padded is an exchange of many bytes.
type padded struct{ size, got int }

func (p *padded) Request() []byte { return append(bytes.Repeat([]byte("a"), p.size-1), '\n') }

func (p *padded) Answer(in *bufio.Reader) error {
	for p.got = 0; ; {
		part, err := in.ReadSlice('\n')
		p.got += len(part)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// A member loses what it gets, the greetings of new connections too, and is then back: attempts from before its
// return are not waited for.
func TestAMemberThatLostItsGreetingsIsBackWithTheNextAttempt(t *testing.T) {
	e := startEcho(t, "127.0.0.1:0")
	const connections = 4
	var abandoned atomic.Int64
	dial := dialer(e.address())
	greet := dial.Greet
	dial.Greet = func(ctx context.Context, reached net.Conn) (*Conn, error) {
		made, err := greet(ctx, reached)
		if errors.Is(ctx.Err(), context.Canceled) {
			abandoned.Add(1)
		}
		return made, err
	}
	s := NewShared(dial, &Counts{}, connections, 1)
	if err := s.Await(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.mu.Lock()
	e.swallow = true
	e.mu.Unlock()
	var all sync.WaitGroup
	for range connections {
		all.Go(func() {
			if _, err := s.Do(&number{value: 1}, NewTurn(), within(time.Minute)); err == nil {
				t.Error("it was answered")
			}
		})
	}
	eventually(t, "old attempts make room for new ones", func() bool { return abandoned.Load() >= 2 })
	if _, most, _ := e.counts(); most > 2*connections+1 { // the server hears of an end later
		t.Errorf("%d connections at a time", most)
	}
	e.mu.Lock()
	e.swallow = false
	e.mu.Unlock()
	x := &number{value: 2}
	if _, err := s.Do(x, NewTurn(), within(time.Minute)); err != nil || x.got != 2 {
		t.Errorf("answered with %d, %v", x.got, err)
	}
	s.Close()
	all.Wait()
}
