package pace

import (
	"testing"
	"time"
)

func TestAnInterruptedSpinIsFollowedByACalmThatGrows(t *testing.T) {
	const short, long = 20 * time.Microsecond, time.Millisecond
	begin := time.Now()
	s := &spin{cores: 2}
	for _, c := range []struct {
		at, took time.Duration // of a turn
		calm     time.Duration // after it
	}{
		{0, short, 0},
		{10 * time.Second, long, firstCalm},
		{11500 * time.Millisecond, short, 0},
		// It was calm from 10 s to 11 s, and has spun for less than that: 0.9 s.
		{11900 * time.Millisecond, long, 2 * firstCalm},
		{14 * time.Second, interruption, 4 * firstCalm},
		// It has spun for longer than it was calm: from 18 s on.
		{23 * time.Second, long, firstCalm},
	} {
		began := begin.Add(c.at)
		if !s.allowed(began) {
			t.Errorf("%v: it must not spin", c.at)
		}
		s.took(began, c.took)
		ended := began.Add(c.took)
		if c.calm > 0 && s.allowed(ended.Add(c.calm-1)) {
			t.Errorf("%v: it spins within the calm of %v", c.at, c.calm)
		}
		if !s.allowed(ended.Add(c.calm)) {
			t.Errorf("%v: it does not spin after the calm of %v", c.at, c.calm)
		}
	}
}

func TestACalmHasABound(t *testing.T) {
	s := &spin{cores: 2}
	at := time.Now()
	for range 20 {
		s.took(at, time.Millisecond)
		at = s.until
	}
	if s.calm != lastCalm {
		t.Errorf("calm %v, want %v", s.calm, lastCalm)
	}
}

func TestASingleCoreNeverSpins(t *testing.T) {
	if (&spin{cores: 1}).allowed(time.Now()) {
		t.Error("it spins")
	}
}

func TestASpinnerSleepsAndThenSpins(t *testing.T) {
	spinner := NewSpinner()
	defer spinner.Close()
	const wait = 20 * time.Millisecond
	begin, calls := time.Now(), 0
	for early := wait; early > 0; early = wait - time.Since(begin) {
		spinner.Sleep(early)
		calls++
	}
	// A yield, a sleep, and the turns of a spin of 50 µs, which take a tenth of one at least.
	if calls < 2 || calls > 1000 {
		t.Errorf("%v took %d calls", wait, calls)
	}
}
