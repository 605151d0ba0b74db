package conn

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fake is a member whose links carry many operations at once.
type fake struct {
	mu     sync.Mutex
	away   error // why it can't be reached
	open   int
	most   int
	opened int
}

// fakeLink is one of a fake's.
type fakeLink struct {
	of   *fake
	gone bool
}

func (l *fakeLink) Sound() bool { return !l.gone }

func (l *fakeLink) HangUp() {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	l.gone = true
	l.of.open--
}

func (f *fake) opener() Opener {
	return Opener{
		Reach: func(context.Context) (net.Conn, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.away != nil {
				return nil, f.away
			}
			ours, _ := net.Pipe()
			return ours, nil
		},
		Greet: func(context.Context, net.Conn) (Link, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.opened++
			f.open++
			f.most = max(f.most, f.open)
			return &fakeLink{of: f}, nil
		},
	}
}

func (f *fake) turnAway(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.away = err
}

// count is how many links there are, were at most, and were made.
func (f *fake) count() [3]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return [3]int{f.open, f.most, f.opened}
}

// placesOf fakes are there when it returns.
func placesOf(t *testing.T, connections, depth int, members ...*fake) (*Places, *Counts) {
	t.Helper()
	var openers []Opener
	for _, f := range members {
		openers = append(openers, f.opener())
	}
	counts := &Counts{}
	p := NewPlaces(openers, counts, connections, depth)
	t.Cleanup(p.Close)
	if err := p.Await(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p, counts
}

func mustTake(t *testing.T, p *Places) *Line {
	t.Helper()
	l, err := p.Take(NewTurn(), within(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func memberOf(l *Line) *fake { return l.Link.(*fakeLink).of }

// Beside a member that is full the others have places.
func TestPlacesAreOnMembersInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &fake{}, &fake{}
		p, _ := placesOf(t, 2, 2, a, b)
		if p.Most() != 2*2*2*2 {
			t.Errorf("%d operations can have a place at most", p.Most())
		}
		on := map[*fake]int{}
		lines := map[*Line]int{}
		var ofA *Line
		for range 8 {
			l := mustTake(t, p)
			on[memberOf(l)]++
			lines[l]++
			if memberOf(l) == a {
				ofA = l
			}
		}
		if on[a] != 4 || on[b] != 4 || len(lines) != 4 {
			t.Errorf("%v operations on members, %v on connections", on, lines)
		}
		span, taken := within(time.Hour), make(chan *Line)
		go func() {
			l, _ := p.Take(NewTurn(), span)
			taken <- l
		}()
		time.Sleep(50 * time.Millisecond)
		ofA.Answered(NewTurn())
		if l := <-taken; l != ofA || span.Waited != 50*time.Millisecond {
			t.Errorf("the place was another one, or came after %v", span.Waited)
		}
	})
}

func TestASilentMemberHoldsItsOwnPlacesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent, well := &fake{}, &fake{}
		p, counts := placesOf(t, 1, 4, silent, well)
		var stuck []*Line
		for range 1000 {
			l := mustTake(t, p)
			if memberOf(l) == silent {
				stuck = append(stuck, l)
			} else {
				l.Answered(NewTurn())
			}
			time.Sleep(time.Millisecond)
		}
		if got := silent.count(); len(stuck) != 2*4 || got != [3]int{2, 2, 2} {
			t.Errorf("%d operations on the silent member's connections: %v are open, were at most, and were made", len(stuck), got)
		}
		if got := well.count(); got != [3]int{1, 1, 1} {
			t.Errorf("the other member's: %v", got)
		}
		stuck[0].Answered(NewTurn())
		if got := silent.count(); got[0] != 2 || silentLines(p) != 1 {
			t.Errorf("after an answer %v, of which %d are silent", got, silentLines(p))
		}
		for _, l := range stuck[1:] {
			l.Answered(NewTurn())
		}
		if got := silent.count(); got != [3]int{1, 2, 2} || counts.Now().Lost != 0 {
			t.Errorf("after all answers %v, %+v", got, counts.Now())
		}
	})
}

func silentLines(p *Places) (count int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.members {
		count += len(m.lines) - m.taking()
	}
	return count
}

func TestAConnectionThatAnswersNothingAnyMoreIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		p, counts := placesOf(t, 1, 4, f)
		first := mustTake(t, p)
		time.Sleep(50 * time.Millisecond)
		first.Unanswered() // its deadline passed
		time.Sleep(20 * time.Millisecond)
		if l := mustTake(t, p); l != first {
			t.Error("it was given up after 70 ms")
		} else {
			l.Unanswered()
		}
		time.Sleep(80 * time.Millisecond)
		if l := mustTake(t, p); l == first {
			t.Error("it takes operations after 150 ms without an answer")
		}
		if got := f.count(); got != [3]int{1, 2, 2} || counts.Now().Lost != 0 {
			t.Errorf("%v are open, were at most, and were made; %+v", got, counts.Now())
		}
	})
}

func TestAnIdleConnectionIsNotSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		p, _ := placesOf(t, 1, 4, f)
		for range 3 {
			l := mustTake(t, p)
			time.Sleep(70 * time.Millisecond)
			l.Answered(NewTurn())
			time.Sleep(time.Second)
		}
		if got := f.count(); got != [3]int{1, 1, 1} {
			t.Errorf("%v are open, were at most, and were made", got)
		}
	})
}

func TestWhatALostConnectionHadIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		p, counts := placesOf(t, 1, 4, f)
		var lines []*Line
		for range 4 {
			lines = append(lines, mustTake(t, p))
		}
		ended := errors.New("it ended")
		for _, l := range lines[1:] {
			l.Lost(ended)
		}
		lines[0].Refused()
		if lost := counts.Now().Lost; lost != 2 {
			t.Errorf("%d are counted as lost, want those that were sent, but the one that found the end", lost)
		}
		if l := mustTake(t, p); l == lines[0] || counts.Now().Opened != 2 {
			t.Errorf("no other connection was made: %+v", counts.Now())
		}
	})
}

func TestAConnectionThatTakesNoMoreEndsWithItsLastOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		p, counts := placesOf(t, 1, 4, f)
		first, refused := mustTake(t, p), mustTake(t, p)
		refused.Refused()
		time.Sleep(AttemptEvery)
		if l := mustTake(t, p); l == first {
			t.Error("it takes operations")
		}
		if got := f.count(); got != [3]int{2, 2, 2} {
			t.Errorf("%v are open, were at most, and were made", got)
		}
		first.Answered(NewTurn())
		if got := f.count(); got != [3]int{1, 2, 2} || counts.Now().Lost != 0 {
			t.Errorf("after the answer %v, %+v", got, counts.Now())
		}
	})
}

// One that looks at a password may need the time, and begins anew with each attempt.
func TestAMemberMayBeGivenTimeForItsGreeting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		slow := f.opener()
		greet := slow.Greet
		slow.Greet = func(ctx context.Context, reached net.Conn) (Link, error) {
			select {
			case <-time.After(2 * time.Second):
				return greet(ctx, reached)
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		slow.Within = 3 * time.Second
		p := NewPlaces([]Opener{slow}, &Counts{}, 2, 4)
		t.Cleanup(p.Close)
		begun := time.Now()
		if err := p.Await(t.Context()); err != nil || time.Since(begun) > 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}

func TestOperationsFailAtOnceWhenNoMemberCanBeReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &fake{}, &fake{}
		p, _ := placesOf(t, 1, 4, a, b)
		refused := errors.New("refused")
		a.turnAway(refused)
		b.turnAway(refused)
		for range 2 {
			mustTake(t, p).Lost(refused)
		}
		if _, err := p.Take(NewTurn(), within(time.Hour)); !errors.Is(err, refused) {
			t.Errorf("without connections: %v", err)
		}
		b.turnAway(nil)
		time.Sleep(2 * AttemptEvery)
		if l := mustTake(t, p); memberOf(l) != b {
			t.Error("a place on a member that is away")
		}
	})
}
