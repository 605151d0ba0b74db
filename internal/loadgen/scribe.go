package loadgen

import (
	"errors"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/stores"
)

// scribe writes down, at the end of each second of the server's clock, what was recorded
// in it.
type scribe struct {
	clock   *Clock
	set     *record.Set
	log     *record.Log
	lines   *lines
	errors  *errorCounts
	lost    func() lost // since the last call
	pulse   *pulse
	metrics *Metrics
	second  func(*record.Interval) // nil, or somebody else who looks
	sharer  stores.Sharer          // nil, or whose connections it tells of
	peak    func() int             // the most operations that were under way since the last call

	written time.Time     // the end of the last second, or the begin of all
	totals  bundle.Finish // of all seconds so far

	count  stores.ConnectionCount // when the last second ended
	before *bundle.Connections    // of the begin
}

// run writes until stop is closed, and then what is left. The begin of all may lie ahead.
func (s *scribe) run(stop <-chan struct{}) error {
	if early := s.written.Sub(s.clock.Now()); early > 0 {
		timer := time.NewTimer(early)
		select {
		case <-timer.C:
		case <-stop:
			timer.Stop()
			if s.clock.Now().Before(s.written) {
				return nil // nothing can have been recorded
			}
			// A few operations may have ended before this goroutine heard of the begin.
			return s.write(s.serverNanos())
		}
		s.lost() // what held the generator up before is no matter
		s.pulse.forget()
	}
	s.before = s.connections(record.Waits{})
	for {
		now := s.serverNanos()
		rest := time.Second - time.Duration(now%int64(time.Second))
		timer := time.NewTimer(rest)
		select {
		case <-timer.C:
		case <-stop:
			timer.Stop()
			return s.write(s.serverNanos())
		}
		now = s.serverNanos()
		if err := s.write(now - now%int64(time.Second)); err != nil {
			return err
		}
	}
}

func (s *scribe) serverNanos() int64 { return s.clock.ServerNanos(s.clock.Now()) }

// write writes what was recorded since the last time. In the interval log it ends at that time,
// in Unix nanoseconds on the server's clock.
func (s *scribe) write(until int64) error {
	in := s.set.Collect()
	peak := s.peak()
	s.totals.Operations += in.Finished
	s.totals.Succeeded += in.Succeeded
	s.totals.Dropped += in.Dropped
	s.totals.OverRange += in.OverRange
	seen := s.errors.take()
	lost := s.lost()
	now := s.clock.Now()
	length := now.Sub(s.written)
	s.written = now
	second := &bundle.SelfSecond{
		LengthMicros: max(1, length.Microseconds()),
		InFlightMax:  peak, Limited: in.Limited, Queued: in.Queued, Intended: in.Intended, Sent: in.Sent, Late: in.Late,
		GCPauseMicros: lost.gcPauseMicros, GCCPUMicros: lost.gcCPUMicros, ThrottledMicros: lost.throttledMicros, Machine: lost.machine,
	}
	second.SlotMicros, second.SlotOwnMicros = in.Slots.Microseconds(), in.Own.Microseconds()
	second.Connections = s.connections(in.Places)
	s.tellThreads(now, second)
	s.metrics.second(in, peak)
	if s.second != nil {
		s.second(in)
	}
	before := s.clock.Now()
	err := s.log.Write(in, until)
	second.WriteMicros = s.clock.Now().Sub(before).Microseconds()
	err = errors.Join(err, s.lines.writeAt(now, bundle.SelfLine{Second: second}))
	if seen != nil {
		err = errors.Join(err, s.lines.write(bundle.SelfLine{Errors: seen}))
	}
	return err
}

// connections is what became of them since the last call; nil where operations share none.
func (s *scribe) connections(waits record.Waits) *bundle.Connections {
	if s.sharer == nil {
		return nil
	}
	now, last := s.sharer.Connections(), s.count
	s.count = now
	return &bundle.Connections{
		Opened: now.Opened - last.Opened, ConnectMicros: (now.Connect - last.Connect).Microseconds(), Lost: max(0, now.Lost-last.Lost),
		Waited: waits.Count, WaitMicros: waits.Sum.Microseconds(), WaitMaxMicros: waits.Longest.Microseconds(),
	}
}

// tellThreads adds what the kernel said of the process's threads, if it did.
func (s *scribe) tellThreads(now time.Time, second *bundle.SelfSecond) {
	stopped, did, ok := s.pulse.take()
	if !ok {
		return
	}
	lasted := stopped.lasted.Microseconds()
	second.StoppedMicros = &lasted
	if lasted > 0 {
		second.StoppedAgoMicros = now.Sub(stopped.began).Microseconds()
	}
	second.Cores = &bundle.Cores{
		Count:     processors(),
		RanMicros: did.ran.Microseconds(), WaitedMicros: did.waited.Microseconds(), WaitedMaxMicros: did.longestWait.Microseconds(),
		LongWaitsMicros: did.longWaits.Microseconds(),
	}
}
