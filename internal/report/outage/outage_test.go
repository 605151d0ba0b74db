package outage

import (
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/bundletest"
)

func TestOutage(t *testing.T) {
	const (
		down     = 20 * bundletest.Second
		duration = 60 * bundletest.Second
	)
	refuse := func(down, back int64) func(int64) bundletest.Answer {
		return func(at int64) bundletest.Answer {
			if at >= down && at < back {
				return bundletest.Answer{Failed: true, Took: bundletest.Millisecond}
			}
			return bundletest.Healthy(at)
		}
	}
	some := func(first func(int64) bundletest.Answer, also ...func(int64) (bundletest.Answer, bool)) func(int64) bundletest.Answer {
		return func(at int64) bundletest.Answer {
			for _, f := range also {
				if a, ok := f(at); ok {
					return a
				}
			}
			return first(at)
		}
	}
	lone := func(from, to int64, a bundletest.Answer) func(int64) (bundletest.Answer, bool) {
		return func(at int64) (bundletest.Answer, bool) { return a, at >= from && at < to }
	}
	closed := func(threads, from, to int64, answer func(int64) bundletest.Answer) bundletest.Recording {
		all := bundletest.Recording{}
		for thread := range threads {
			for at := from + thread*100; at < to; {
				a := answer(at)
				all.Record(at, a)
				at += max(a.Took, 1)
			}
		}
		return all
	}

	for _, c := range []struct {
		name     string
		scene    bundletest.Scene
		timeline bundletest.Recording // instead of the scene
		query    func(*impact)
		p99      int64

		outage                        int64
		accuracy                      int64 // 0 is 50 ms
		gap                           int64 // -1: not looked at
		gapWithin                     int64 // 0 is 50 ms
		unaffected, censored, limited bool
		awayBefore                    bool
	}{
		{
			name:  "nothing is affected, and it may have come after all that could show it",
			scene: bundletest.Scene{Rate: 1000, Answer: bundletest.Healthy}, query: func(q *impact) { q.before = q.until },
			unaffected: true, censored: true, gap: -1,
		},
		{
			name:   "a short pause after the end of a fault that lasts",
			scene:  bundletest.Scene{Rate: 1000, Answer: bundletest.Stall(down+10*bundletest.Second, down+10*bundletest.Second+90*bundletest.Millisecond)},
			query:  func(q *impact) { q.ended = down + 8*bundletest.Second },
			outage: 0, accuracy: 1, unaffected: true, gap: 90 * bundletest.Millisecond, gapWithin: 10 * bundletest.Millisecond,
		},
		{
			name:   "a stall of 3.000 s that then answers all",
			scene:  bundletest.Scene{Rate: 1000, Answer: bundletest.Stall(down, down+3*bundletest.Second)},
			outage: 3 * bundletest.Second, gap: 3 * bundletest.Second,
		},
		{
			name:   "a stall with Poisson arrivals, off the bins' grid",
			scene:  bundletest.Scene{Rate: 1000, Poisson: true, Answer: bundletest.Stall(down+3333, down+3333+3*bundletest.Second)},
			outage: 3 * bundletest.Second, gap: 3 * bundletest.Second,
		},
		{
			name:   "a stall that began before",
			scene:  bundletest.Scene{Rate: 1000, Answer: bundletest.Stall(down-500*bundletest.Millisecond, down+2*bundletest.Second)},
			outage: 2 * bundletest.Second, gap: 2500 * bundletest.Millisecond, gapWithin: 600 * bundletest.Millisecond, awayBefore: true,
		},
		{
			name:   "connections were refused before, and half of the time since",
			scene:  bundletest.Scene{Rate: 1000, Answer: refuse(down-bundletest.Second, down+bundletest.Second)},
			outage: bundletest.Second, gap: 2 * bundletest.Second, gapWithin: bundletest.Second + 50*bundletest.Millisecond, awayBefore: true,
		},
		{
			name:   "a stall that was over before",
			scene:  bundletest.Scene{Rate: 1000, Answer: bundletest.Stall(down-2*bundletest.Second, down-150*bundletest.Millisecond)},
			outage: 0, accuracy: 1, unaffected: true, gap: -1,
		},
		{
			name:     "closed loop, a stall that began before",
			timeline: closed(8, 0, duration, bundletest.Stall(down-bundletest.Second, down+2*bundletest.Second)),
			query:    func(q *impact) { q.closed = true },
			outage:   2 * bundletest.Second, limited: true, gap: -1, awayBefore: true,
		},
		{
			name:   "what is in flight is swallowed, new operations are answered after 3.000 s",
			scene:  bundletest.Scene{Rate: 1000, Answer: bundletest.Swallow(down, down+3*bundletest.Second, 2*bundletest.Second)},
			outage: 3 * bundletest.Second, gap: 3 * bundletest.Second,
		},
		{
			name:   "swallowed, with Poisson arrivals, off the bins' grid",
			scene:  bundletest.Scene{Rate: 1000, Poisson: true, Answer: bundletest.Swallow(down+7777, down+7777+3*bundletest.Second, 2*bundletest.Second)},
			outage: 3 * bundletest.Second, gap: 3 * bundletest.Second,
		},
		{
			name:   "two workers",
			scene:  bundletest.Scene{Rate: 1000, Poisson: true, Workers: 2, Answer: bundletest.Stall(down, down+3*bundletest.Second)},
			outage: 3 * bundletest.Second, gap: 3 * bundletest.Second,
		},
		{
			name: "a stall beyond the deadline of the first operations",
			scene: bundletest.Scene{Rate: 1000, Answer: func(at int64) bundletest.Answer {
				a := bundletest.Stall(down, down+3*bundletest.Second)(at)
				if a.Took > 2*bundletest.Second {
					return bundletest.Answer{Unknown: true, Took: 2 * bundletest.Second}
				}
				return a
			}},
			outage: 3 * bundletest.Second, gap: 3 * bundletest.Second,
		},
		{
			name:   "connections are refused",
			scene:  bundletest.Scene{Rate: 1000, Answer: refuse(down, down+1500*bundletest.Millisecond)},
			outage: 1500 * bundletest.Millisecond, gap: 1500 * bundletest.Millisecond,
		},
		{
			name:   "no effect",
			scene:  bundletest.Scene{Rate: 1000, Answer: bundletest.Healthy},
			outage: 0, accuracy: 1, unaffected: true, gap: 0,
		},
		{
			name:   "a stall too short to make anything overdue",
			scene:  bundletest.Scene{Rate: 1000, Answer: bundletest.Stall(down, down+90*bundletest.Millisecond)},
			outage: 0, accuracy: 1, unaffected: true, gap: 90 * bundletest.Millisecond,
		},
		{
			name:   "one operation fails",
			scene:  bundletest.Scene{Rate: 1000, Answer: some(bundletest.Healthy, lone(down+100*bundletest.Millisecond, down+101*bundletest.Millisecond, bundletest.Answer{Failed: true}))},
			outage: 0, accuracy: 1, unaffected: true, gap: 0,
		},
		{
			name:   "a failure before the injection is not the fault's",
			scene:  bundletest.Scene{Rate: 1000, Answer: some(bundletest.Healthy, lone(down-bundletest.Second, down-5*bundletest.Millisecond, bundletest.Answer{Failed: true}))},
			outage: 0, accuracy: 1, unaffected: true, gap: 10 * bundletest.Millisecond,
		},
		{
			name: "reads of absent records, which the store answers, are service",
			scene: bundletest.Scene{Rate: 1000, Answer: some(bundletest.Healthy, func(at int64) (bundletest.Answer, bool) {
				return bundletest.Answer{Absent: true, Took: 2 * bundletest.Millisecond}, at/bundletest.Millisecond%3 == 0
			})},
			outage: 0, accuracy: 1, unaffected: true, gap: 0,
		},
		{
			name: "a store that was emptied by the fault is back when it answers",
			scene: bundletest.Scene{Rate: 1000, Answer: some(bundletest.Healthy,
				lone(down, down+3*bundletest.Second, bundletest.Answer{Failed: true, Took: bundletest.Millisecond}),
				lone(down+3*bundletest.Second, duration, bundletest.Answer{Absent: true, Took: 2 * bundletest.Millisecond}))},
			outage: 3 * bundletest.Second, gap: 3 * bundletest.Second,
		},
		{
			name: "an answer that comes too late is no service",
			scene: bundletest.Scene{Rate: 1000, Answer: some(bundletest.Healthy,
				lone(down, down+3*bundletest.Second, bundletest.Answer{Absent: true, Took: 101 * bundletest.Millisecond}))},
			outage: 3 * bundletest.Second, gap: 3 * bundletest.Second,
		},
		{
			name:   "operations that never got a slot are not served",
			scene:  bundletest.Scene{Rate: 1000, Answer: some(bundletest.Healthy, lone(down, duration, bundletest.Answer{Never: true, Waited: true}))},
			outage: duration - down, censored: true, limited: true, gap: duration - down,
		},
		{
			name:   "a lone failure within the bracket, then a short outage",
			scene:  bundletest.Scene{Rate: 1000, Answer: some(bundletest.Stall(down+350*bundletest.Millisecond, down+750*bundletest.Millisecond), lone(down+10*bundletest.Millisecond, down+11*bundletest.Millisecond, bundletest.Answer{Failed: true}))},
			query:  func(q *impact) { q.before = q.after + 300*bundletest.Millisecond },
			outage: 400 * bundletest.Millisecond, gap: 400 * bundletest.Millisecond,
		},
		{
			name:   "a lone success in the middle does not end it",
			scene:  bundletest.Scene{Rate: 1000, Answer: some(refuse(down, down+4*bundletest.Second), lone(down+2*bundletest.Second, down+2*bundletest.Second+5*bundletest.Millisecond, bundletest.Answer{Took: 2 * bundletest.Millisecond}))},
			outage: 4 * bundletest.Second, gap: 2 * bundletest.Second,
		},
		{
			name:   "the outage's tail, diluted in five seconds, does not end it",
			scene:  bundletest.Scene{Rate: 1000, Answer: some(refuse(down, down+2*bundletest.Second), lone(down+1700*bundletest.Millisecond, down+1703*bundletest.Millisecond, bundletest.Answer{Took: 2 * bundletest.Millisecond}))},
			outage: 2 * bundletest.Second, gap: 1700 * bundletest.Millisecond,
		},
		{
			name: "flapping: up and down every 300 ms for 3 s; the last 10 % of five seconds are forgiven",
			scene: bundletest.Scene{Rate: 1000, Answer: func(at int64) bundletest.Answer {
				if at >= down && at < down+3*bundletest.Second && (at-down)/(300*bundletest.Millisecond)%2 == 0 {
					return bundletest.Answer{Failed: true}
				}
				return bundletest.Healthy(at)
			}},
			outage: 2100 * bundletest.Millisecond, gap: 300 * bundletest.Millisecond,
		},
		{
			name: "slow recovery: half of the operations fail for 5 s more",
			scene: bundletest.Scene{Rate: 1000, Answer: some(refuse(down, down+bundletest.Second), func(at int64) (bundletest.Answer, bool) {
				return bundletest.Answer{Failed: true}, at >= down+bundletest.Second && at < down+6*bundletest.Second && at/bundletest.Millisecond%2 == 0
			})},
			outage: 6 * bundletest.Second, accuracy: 100 * bundletest.Millisecond, gap: -1,
		},
		{
			name: "one in twenty fails ever after: served",
			scene: bundletest.Scene{Rate: 1000, Answer: some(refuse(down, down+bundletest.Second), func(at int64) (bundletest.Answer, bool) {
				return bundletest.Answer{Failed: true}, at >= down+bundletest.Second && at/bundletest.Millisecond%20 == 7
			})},
			outage: bundletest.Second, gap: bundletest.Second,
		},
		{
			name: "a queue that drains slowly counts until answers are in time again",
			scene: bundletest.Scene{Rate: 1000, Answer: func(at int64) bundletest.Answer {
				// After 2 s the store catches up at twice the arrival rate: an operation of
				// instant x after the stall's begin waits until 2 s + x/2.
				x := at - down
				if x < 0 || x >= 4*bundletest.Second {
					return bundletest.Healthy(at)
				}
				return bundletest.Answer{Took: max(2*bundletest.Millisecond, 2*bundletest.Second-x/2)}
			}},
			// Waiting falls to 100 ms at x = 3.8 s, which is answered at 3.9 s.
			outage: 3900 * bundletest.Millisecond, gap: -1,
		},
		{
			name:   "never back: censored at the end of the record",
			scene:  bundletest.Scene{Rate: 1000, Answer: refuse(down, duration)},
			outage: duration - down, censored: true, gap: duration - down,
		},
		{
			name:   "back less than five seconds before the end of the record: a lower bound",
			scene:  bundletest.Scene{Rate: 1000, Answer: refuse(down, duration-2*bundletest.Second)},
			outage: duration - 2*bundletest.Second - down, censored: true, gap: duration - 2*bundletest.Second - down,
		},
		{
			name:   "the cool-down serves to prove that it is back",
			scene:  bundletest.Scene{Rate: 1000, Answer: refuse(down, duration-5*bundletest.Second)},
			query:  func(q *impact) { q.until = duration - 5*bundletest.Second },
			outage: duration - 5*bundletest.Second - down, gap: duration - 5*bundletest.Second - down,
		},
		{
			name:   "what fails in the cool-down only is not the fault's",
			scene:  bundletest.Scene{Rate: 1000, Answer: refuse(duration-2*bundletest.Second, duration)},
			query:  func(q *impact) { q.until = duration - 5*bundletest.Second },
			outage: 0, accuracy: 1, unaffected: true, gap: 0,
		},
		{
			name:   "the next fault ends what is known of this one",
			scene:  bundletest.Scene{Rate: 1000, Answer: some(refuse(down, down+bundletest.Second), lone(down+4*bundletest.Second, down+6*bundletest.Second, bundletest.Answer{Failed: true}))},
			query:  func(q *impact) { q.until, q.end = down+4*bundletest.Second, down+4*bundletest.Second },
			outage: bundletest.Second, censored: true, gap: -1,
		},
		{
			name:   "10 operations per second: accurate to the distance of two",
			scene:  bundletest.Scene{Rate: 10, Answer: bundletest.Swallow(down, down+3*bundletest.Second, 2*bundletest.Second)},
			outage: 3 * bundletest.Second, accuracy: 110 * bundletest.Millisecond, gap: 3 * bundletest.Second, gapWithin: 110 * bundletest.Millisecond,
		},
		{
			name:   "10 operations per second, Poisson",
			scene:  bundletest.Scene{Rate: 10, Poisson: true, Answer: bundletest.Swallow(down, down+8*bundletest.Second, 2*bundletest.Second)},
			outage: 8 * bundletest.Second, accuracy: 600 * bundletest.Millisecond, gap: 8 * bundletest.Second, gapWithin: 600 * bundletest.Millisecond,
		},
		{
			name:   "p99 before of 40 ms: 400 ms is in time",
			scene:  bundletest.Scene{Rate: 1000, Answer: bundletest.Stall(down, down+350*bundletest.Millisecond)},
			p99:    40 * bundletest.Millisecond,
			outage: 0, accuracy: 1, unaffected: true, gap: 350 * bundletest.Millisecond,
		},
		{
			name:   "p99 before of 40 ms: a longer stall is not shortened by it",
			scene:  bundletest.Scene{Rate: 1000, Answer: bundletest.Stall(down, down+3*bundletest.Second)},
			p99:    40 * bundletest.Millisecond,
			outage: 3 * bundletest.Second, gap: 3 * bundletest.Second,
		},
		{
			name: "clients reached their bound",
			scene: bundletest.Scene{Rate: 1000, Answer: func(at int64) bundletest.Answer {
				a := bundletest.Swallow(down, down+3*bundletest.Second, 2*bundletest.Second)(at)
				a.Waited = at > down+2*bundletest.Second && at < down+3*bundletest.Second
				return a
			}},
			outage: 3 * bundletest.Second, limited: true, gap: 3 * bundletest.Second,
		},
		{
			name: "clients reached their bound at another time",
			scene: bundletest.Scene{Rate: 1000, Answer: func(at int64) bundletest.Answer {
				a := bundletest.Swallow(down, down+3*bundletest.Second, 2*bundletest.Second)(at)
				a.Waited = at < down-bundletest.Second || at > down+10*bundletest.Second
				return a
			}},
			outage: 3 * bundletest.Second, gap: 3 * bundletest.Second,
		},
		{
			name:     "closed loop, stall",
			timeline: closed(8, 0, duration, bundletest.Stall(down, down+3*bundletest.Second)),
			query:    func(q *impact) { q.closed = true },
			outage:   3 * bundletest.Second, limited: true, gap: 3 * bundletest.Second,
		},
		{
			name:     "closed loop, swallowed: clients come back when their deadline lets them",
			timeline: closed(8, 0, duration, bundletest.Swallow(down, down+3*bundletest.Second, 2*bundletest.Second)),
			query:    func(q *impact) { q.closed = true },
			outage:   4 * bundletest.Second, limited: true, gap: 4 * bundletest.Second,
		},
		{
			name: "closed loop with fast operations and a slow one in flight",
			timeline: closed(64, down-bundletest.Second, down+9*bundletest.Second, func(at int64) bundletest.Answer {
				a := bundletest.Stall(down+5*bundletest.Millisecond, down+3*bundletest.Second)(at)
				if a.Took == 2*bundletest.Millisecond {
					a.Took = bundletest.Millisecond
				}
				if at < down && at > down-bundletest.Millisecond {
					a.Took = 3 * bundletest.Second
				}
				return a
			}),
			query:  func(q *impact) { q.closed, q.until, q.end = true, down+9*bundletest.Second, down+9*bundletest.Second },
			outage: 3 * bundletest.Second, limited: true, gap: 3 * bundletest.Second,
		},
		{
			name:     "closed loop, never back",
			timeline: closed(8, 0, duration, bundletest.Stall(down, duration+2*bundletest.Second)),
			query:    func(q *impact) { q.closed = true },
			outage:   duration - down, limited: true, censored: true, gap: duration - down,
		},
		{
			name:     "closed loop of one thread on a slow store",
			timeline: closed(1, 0, duration, func(int64) bundletest.Answer { return bundletest.Answer{Took: 80 * bundletest.Millisecond} }),
			query:    func(q *impact) { q.closed = true },
			outage:   0, accuracy: 1, unaffected: true, gap: 80 * bundletest.Millisecond,
		},
		{
			name:   "nothing recorded at all",
			scene:  bundletest.Scene{Rate: 0.0001, Answer: bundletest.Healthy},
			outage: 0, accuracy: 1, unaffected: true, gap: -1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			recorded := c.timeline
			if recorded == nil {
				c.scene.Duration = duration
				recorded = c.scene.Play()
			}
			tl := recorded.Timeline(t, duration)
			q := impact{after: down, before: down + 20*bundletest.Millisecond, until: duration, follow: duration, end: duration, bucket: overdueBucket(c.p99)}
			if c.query != nil {
				c.query(&q)
			}
			o := measureOutage(tl, q)
			if o.awayBefore != c.awayBefore {
				t.Errorf("away before: %t", o.awayBefore)
			}
			bundletest.Near(t, "outage", o.end-o.start, c.outage, c.accuracy)
			if c.gap >= 0 {
				bundletest.Near(t, "longest gap", o.gap, c.gap, c.gapWithin)
			}
			if o.affected == c.unaffected {
				t.Errorf("affected is %t", o.affected)
			}
			if o.censored != c.censored {
				t.Errorf("censored is %t", o.censored)
			}
			if o.limited != c.limited {
				t.Errorf("limited is %t", o.limited)
			}
		})
	}
}

func TestOverdueBucketRoundsUp(t *testing.T) {
	for _, c := range []struct{ p99, bound int64 }{
		{0, 100_000},
		{10_000, 100_000},
		{10_001, 110_000},
		{11_000, 110_000},
		{50_000, 505_437},
		{600_000_000, bundle.LateBound(bundle.LateBuckets - 2)},
	} {
		bound := bundle.LateBound(overdueBucket(c.p99))
		if c.p99*overdueFactor > bound && bound != bundle.LateBound(bundle.LateBuckets-2) {
			t.Errorf("p99 %d: %d is below ten times of it", c.p99, bound)
		}
		if off := bound - c.bound; off > 100 || off < -100 {
			t.Errorf("p99 %d: overdue above %d, want %d", c.p99, bound, c.bound)
		}
	}
}

// What later faults are held against must not have it in it.
func TestWhatHasAnotherCauseIsSetApart(t *testing.T) {
	const down, duration = 20 * bundletest.Second, 60 * bundletest.Second
	for _, c := range []struct{ from, to, apart int64 }{
		{down + 11*bundletest.Second, down + 13*bundletest.Second, down + 13*bundletest.Second},
		{down + 11*bundletest.Second, duration, duration},
		{down + bundletest.Second, down + 2*bundletest.Second, 0},
	} {
		s := bundletest.Scene{Rate: 1000, Duration: duration, Answer: bundletest.Stall(c.from, c.to)}
		o := measureOutage(s.Play().Timeline(t, duration), impact{after: down, before: down + 20*bundletest.Millisecond, until: duration, follow: down + 10*bundletest.Second, end: duration, bucket: overdueBucket(0)})
		bundletest.Near(t, "apart until", o.apart, c.apart, 20*bundletest.Millisecond)
		if o.affected != (c.apart == 0) {
			t.Errorf("affected: %t", o.affected)
		}
	}
}
