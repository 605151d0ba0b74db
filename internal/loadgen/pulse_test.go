package loadgen

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// sleeps is a sleep for tests whose clock is the test's: it moves the clock by what is
// asked, and by what the script adds to the wait of that number.
type sleeps struct {
	now    time.Time
	extra  map[int]time.Duration
	count  int
	end    int
	cancel context.CancelFunc
	before func()
}

func (s *sleeps) Sleep(d time.Duration) {
	if s.before != nil {
		s.before()
	}
	s.now = s.now.Add(d + s.extra[s.count])
	if s.count++; s.count == s.end {
		s.cancel()
	}
}

// tasksOf makes a folder of threads with what each has waited.
func tasksOf(t *testing.T, waited ...time.Duration) string {
	t.Helper()
	dir := t.TempDir()
	for id, wait := range waited {
		setWaited(t, dir, id, wait)
	}
	return dir
}

func setWaited(t *testing.T, dir string, id int, wait time.Duration) {
	t.Helper()
	setActive(t, dir, id, 0, wait)
}

func setActive(t *testing.T, dir string, id int, ran, wait time.Duration) {
	t.Helper()
	thread := filepath.Join(dir, strconv.Itoa(id))
	if err := os.MkdirAll(thread, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(thread, "schedstat"), fmt.Appendf(nil, "%d %d 3\n", ran, wait), 0o644); err != nil {
		t.Fatal(err)
	}
}

// idle is the CPU time of a process that does nothing.
func idle() time.Duration { return 0 }

func TestAStopIsSeenWithItsBegin(t *testing.T) {
	begin := time.Unix(1000, 0)
	ctx, cancel := context.WithCancel(t.Context())
	machine := &sleeps{now: begin, end: 100, cancel: cancel, extra: map[int]time.Duration{30: 200 * time.Millisecond, 50: 90 * time.Millisecond}}
	p := &pulse{sleep: machine.Sleep, now: func() time.Time { return machine.now }, tasks: tasksOf(t, 0), ran: idle}
	if err := p.run(ctx); err != nil {
		t.Fatal(err)
	}
	if seen, _, _ := p.take(); seen.lasted != 200*time.Millisecond || seen.began.Sub(begin) != 31*pulsePeriod {
		t.Errorf("a stop of %s, %s after the begin", seen.lasted, seen.began.Sub(begin))
	}
	if again, _, _ := p.take(); again != (stop{}) {
		t.Errorf("it was taken twice: %+v", again)
	}
}

// The threads waited before, and one of them for 150 ms of the late wake.
func TestTheWaitForACoreIsNoStop(t *testing.T) {
	const ms = time.Millisecond
	begin := time.Unix(1000, 0)
	ctx, cancel := context.WithCancel(t.Context())
	dir := tasksOf(t, time.Hour, time.Minute, time.Second)
	machine := &sleeps{now: begin, end: 20, cancel: cancel, extra: map[int]time.Duration{10: 170 * ms}}
	machine.before = func() {
		if machine.count == 10 {
			setWaited(t, dir, 0, time.Hour+30*ms)
			setWaited(t, dir, 1, time.Minute+150*ms)
		}
	}
	p := &pulse{sleep: machine.Sleep, now: func() time.Time { return machine.now }, tasks: dir, ran: idle}
	if err := p.run(ctx); err != nil {
		t.Fatal(err)
	}
	if seen, _, _ := p.take(); seen.lasted != 20*ms {
		t.Errorf("a stop of %s, and 20 ms are left of the wake", seen.lasted)
	}
}

// Go's scheduler had more to run than cores, so the wake was late, but the process ran.
func TestAProcessThatRunsIsNotStopped(t *testing.T) {
	const ms = time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	dir := tasksOf(t, 0, 0)
	machine := &sleeps{now: time.Unix(1000, 0), end: 20, cancel: cancel, extra: map[int]time.Duration{10: 200 * ms}}
	machine.before = func() {
		if machine.count == 10 {
			setActive(t, dir, 1, 190*ms, 5*ms)
		}
	}
	p := &pulse{sleep: machine.Sleep, now: func() time.Time { return machine.now }, tasks: dir, ran: idle}
	if err := p.run(ctx); err != nil {
		t.Fatal(err)
	}
	if seen, _, _ := p.take(); seen.lasted != 5*ms {
		t.Errorf("a stop of %s, and 5 ms are left of the wake", seen.lasted)
	}
}

// Its threads are too new to be known.
func TestAProcessThatRunsOnNewThreadsIsNotStopped(t *testing.T) {
	const ms = time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	begin := time.Unix(1000, 0)
	machine := &sleeps{now: begin, end: 20, cancel: cancel, extra: map[int]time.Duration{10: 200 * ms}}
	p := &pulse{
		sleep: machine.Sleep, now: func() time.Time { return machine.now }, tasks: tasksOf(t, 0),
		ran: func() time.Duration { return machine.now.Sub(begin) },
	}
	if err := p.run(ctx); err != nil {
		t.Fatal(err)
	}
	if seen, _, _ := p.take(); seen != (stop{}) {
		t.Errorf("a stop of %s", seen.lasted)
	}
}

// Of two threads one waits for 150 ms at once, and both for a millisecond in each beat.
func TestTheWaitsOfAllThreadsAreAddedUp(t *testing.T) {
	const ms = time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	dir := tasksOf(t, time.Hour, 0)
	machine := &sleeps{now: time.Unix(1000, 0), end: 20, cancel: cancel}
	machine.before = func() {
		beat := time.Duration(machine.count + 1)
		extra := time.Duration(0)
		if machine.count >= 10 {
			extra = 150 * ms
		}
		setActive(t, dir, 0, beat*3*ms, time.Hour+beat*ms)
		setActive(t, dir, 1, beat*2*ms, beat*ms+extra)
	}
	p := &pulse{sleep: machine.Sleep, now: func() time.Time { return machine.now }, tasks: dir, ran: idle}
	if err := p.run(ctx); err != nil {
		t.Fatal(err)
	}
	_, did, ok := p.take()
	if want := (activity{longest: 153 * ms, ran: 100 * ms, waited: 190 * ms, longestWait: 151 * ms, longWaits: 151 * ms}); !ok || did != want {
		t.Errorf("they did %+v, %t, want %+v", did, ok, want)
	}
	if _, again, ok := p.take(); !ok || again != (activity{}) {
		t.Errorf("it was taken twice: %+v, %t", again, ok)
	}
}

func TestThreadsComeAndGo(t *testing.T) {
	dir := tasksOf(t, 0, time.Second)
	all := &threads{dir: dir}
	defer all.close()
	look := func(want time.Duration) {
		t.Helper()
		if got, err := all.look(pulsePeriod); got.longest != want || err != nil {
			t.Errorf("waited %s, %v, want %s", got.longest, err, want)
		}
	}
	look(0)
	setWaited(t, dir, 0, 5)
	setWaited(t, dir, 2, time.Hour) // what a new one has waited before it was seen doesn't count
	for range looksPerList {
		_, err := all.look(pulsePeriod)
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(all.open) != 3 {
		t.Errorf("%d threads", len(all.open))
	}
	setWaited(t, dir, 2, time.Hour+9)
	look(9)
}

func TestSchedulerStatisticsAreRead(t *testing.T) {
	if got, err := parseSpent([]byte("2000000 148000000 12\n")); err != nil || got.ran != 2*time.Millisecond || got.waited != 148*time.Millisecond {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{"", "1", "1 2\n", "1 x 3\n", "x 1 3\n"} {
		if _, err := parseSpent([]byte(text)); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
	real := &threads{dir: ownTasks}
	defer real.close()
	if _, err := real.look(pulsePeriod); err != nil || len(real.open) == 0 {
		t.Errorf("%d threads of this process, %v", len(real.open), err)
	}
}

func TestAKernelWithoutStatisticsIsSaid(t *testing.T) {
	p := &pulse{sleep: time.Sleep, now: time.Now, tasks: t.TempDir(), ran: idle}
	if err := p.run(t.Context()); err == nil {
		t.Error("nothing was said")
	}
	if _, _, ok := p.take(); ok {
		t.Error("what nobody saw is told")
	}
}

// BenchmarkThreads is what a beat costs beside its sleep.
func BenchmarkThreads(b *testing.B) {
	all := &threads{dir: ownTasks}
	defer all.close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := all.look(pulsePeriod); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(all.open)), "threads")
}
