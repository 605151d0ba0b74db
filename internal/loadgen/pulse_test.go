package loadgen

import (
	"context"
	"testing"
	"time"
)

// sleeps is a waiter for tests whose clock is the test's: it moves the clock by what is
// asked, and by what the script adds to the wait of that number.
type sleeps struct {
	now    time.Time
	extra  map[int]time.Duration
	count  int
	end    int
	cancel context.CancelFunc
}

func (s *sleeps) Sleep(d time.Duration) {
	s.now = s.now.Add(d + s.extra[s.count])
	if s.count++; s.count == s.end {
		s.cancel()
	}
}
func (s *sleeps) Close() {}

func TestAStopIsSeenWithItsBegin(t *testing.T) {
	begin := time.Unix(1000, 0)
	ctx, cancel := context.WithCancel(t.Context())
	machine := &sleeps{now: begin, end: 100, cancel: cancel, extra: map[int]time.Duration{30: 200 * time.Millisecond, 50: 90 * time.Millisecond}}
	p := &pulse{waiter: func() waiter { return machine }, now: func() time.Time { return machine.now }, waits: ownWaits}
	if err := p.run(ctx); err != nil {
		t.Fatal(err)
	}
	// This thread is real, and may have waited for a core meanwhile.
	seen := p.take()
	if seen.lasted > 200*time.Millisecond || seen.lasted < 150*time.Millisecond {
		t.Errorf("a stop of 200 ms was seen as one of %s", seen.lasted)
	}
	if ends := seen.began.Add(seen.lasted).Sub(begin); ends != 31*pulsePeriod+200*time.Millisecond {
		t.Errorf("it ended %s after the begin", ends)
	}
	if again := p.take(); again != (stop{}) {
		t.Errorf("it was taken twice: %+v", again)
	}
}

func TestTheWaitForACoreIsNoStop(t *testing.T) {
	for _, c := range []struct {
		text string
		want time.Duration
	}{
		{"2000 148000000 12\n", 148 * time.Millisecond},
		{"0 0 0\n", 0},
	} {
		if got, err := parseWaited([]byte(c.text)); err != nil || got != c.want {
			t.Errorf("%q is %s, %v", c.text, got, err)
		}
	}
	for _, text := range []string{"", "1 2\n", "1 x 3\n"} {
		if _, err := parseWaited([]byte(text)); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestAKernelWithoutStatisticsIsSaid(t *testing.T) {
	p := &pulse{waiter: realWaiter, now: time.Now, waits: t.TempDir() + "/none"}
	if err := p.run(t.Context()); err == nil {
		t.Error("nothing was said")
	}
}
