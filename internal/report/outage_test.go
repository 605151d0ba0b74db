package report

import (
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
)

func TestOutage(t *testing.T) {
	const (
		down     = 20 * sec
		duration = 60 * sec
	)
	refuse := func(down, back int64) func(int64) answer {
		return func(at int64) answer {
			if at >= down && at < back {
				return answer{failed: true, took: ms}
			}
			return healthy(at)
		}
	}
	some := func(first func(int64) answer, also ...func(int64) (answer, bool)) func(int64) answer {
		return func(at int64) answer {
			for _, f := range also {
				if a, ok := f(at); ok {
					return a
				}
			}
			return first(at)
		}
	}
	lone := func(from, to int64, a answer) func(int64) (answer, bool) {
		return func(at int64) (answer, bool) { return a, at >= from && at < to }
	}
	closed := func(threads, from, to int64, answer func(int64) answer) recording {
		all := recording{}
		for thread := range threads {
			for at := from + thread*100; at < to; {
				a := answer(at)
				all.record(at, a)
				at += max(a.took, 1)
			}
		}
		return all
	}

	for _, c := range []struct {
		name     string
		scene    scene
		timeline recording // instead of the scene
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
			scene: scene{rate: 1000, answer: healthy}, query: func(q *impact) { q.before = q.until },
			unaffected: true, censored: true, gap: -1,
		},
		{
			name:   "a stall of 3.000 s that then answers all",
			scene:  scene{rate: 1000, answer: stall(down, down+3*sec)},
			outage: 3 * sec, gap: 3 * sec,
		},
		{
			name:   "a stall with Poisson arrivals, off the bins' grid",
			scene:  scene{rate: 1000, poisson: true, answer: stall(down+3333, down+3333+3*sec)},
			outage: 3 * sec, gap: 3 * sec,
		},
		{
			name:   "a stall that began before",
			scene:  scene{rate: 1000, answer: stall(down-500*ms, down+2*sec)},
			outage: 2 * sec, gap: 2500 * ms, gapWithin: 600 * ms, awayBefore: true,
		},
		{
			name:   "connections were refused before, and half of the time since",
			scene:  scene{rate: 1000, answer: refuse(down-sec, down+sec)},
			outage: sec, gap: 2 * sec, gapWithin: sec + 50*ms, awayBefore: true,
		},
		{
			name:   "a stall that was over before",
			scene:  scene{rate: 1000, answer: stall(down-2*sec, down-150*ms)},
			outage: 0, accuracy: 1, unaffected: true, gap: -1,
		},
		{
			name:     "closed loop, a stall that began before",
			timeline: closed(8, 0, duration, stall(down-sec, down+2*sec)),
			query:    func(q *impact) { q.closed = true },
			outage:   2 * sec, limited: true, gap: -1, awayBefore: true,
		},
		{
			name:   "what is in flight is swallowed, new operations are answered after 3.000 s",
			scene:  scene{rate: 1000, answer: swallow(down, down+3*sec, 2*sec)},
			outage: 3 * sec, gap: 3 * sec,
		},
		{
			name:   "swallowed, with Poisson arrivals, off the bins' grid",
			scene:  scene{rate: 1000, poisson: true, answer: swallow(down+7777, down+7777+3*sec, 2*sec)},
			outage: 3 * sec, gap: 3 * sec,
		},
		{
			name:   "two workers",
			scene:  scene{rate: 1000, poisson: true, workers: 2, answer: stall(down, down+3*sec)},
			outage: 3 * sec, gap: 3 * sec,
		},
		{
			name: "a stall beyond the deadline of the first operations",
			scene: scene{rate: 1000, answer: func(at int64) answer {
				a := stall(down, down+3*sec)(at)
				if a.took > 2*sec {
					return answer{unknown: true, took: 2 * sec}
				}
				return a
			}},
			outage: 3 * sec, gap: 3 * sec,
		},
		{
			name:   "connections are refused",
			scene:  scene{rate: 1000, answer: refuse(down, down+1500*ms)},
			outage: 1500 * ms, gap: 1500 * ms,
		},
		{
			name:   "no effect",
			scene:  scene{rate: 1000, answer: healthy},
			outage: 0, accuracy: 1, unaffected: true, gap: 0,
		},
		{
			name:   "a stall too short to make anything overdue",
			scene:  scene{rate: 1000, answer: stall(down, down+90*ms)},
			outage: 0, accuracy: 1, unaffected: true, gap: 90 * ms,
		},
		{
			name:   "one operation fails",
			scene:  scene{rate: 1000, answer: some(healthy, lone(down+100*ms, down+101*ms, answer{failed: true}))},
			outage: 0, accuracy: 1, unaffected: true, gap: 0,
		},
		{
			name:   "a failure before the injection is not the fault's",
			scene:  scene{rate: 1000, answer: some(healthy, lone(down-sec, down-5*ms, answer{failed: true}))},
			outage: 0, accuracy: 1, unaffected: true, gap: 10 * ms,
		},
		{
			name: "reads of absent records, which the store answers, are service",
			scene: scene{rate: 1000, answer: some(healthy, func(at int64) (answer, bool) {
				return answer{absent: true, took: 2 * ms}, at/ms%3 == 0
			})},
			outage: 0, accuracy: 1, unaffected: true, gap: 0,
		},
		{
			name: "a store that was emptied by the fault is back when it answers",
			scene: scene{rate: 1000, answer: some(healthy,
				lone(down, down+3*sec, answer{failed: true, took: ms}),
				lone(down+3*sec, duration, answer{absent: true, took: 2 * ms}))},
			outage: 3 * sec, gap: 3 * sec,
		},
		{
			name: "an answer that comes too late is no service",
			scene: scene{rate: 1000, answer: some(healthy,
				lone(down, down+3*sec, answer{absent: true, took: 101 * ms}))},
			outage: 3 * sec, gap: 3 * sec,
		},
		{
			name:   "operations that never got a slot are not served",
			scene:  scene{rate: 1000, answer: some(healthy, lone(down, duration, answer{never: true, waited: true}))},
			outage: duration - down, censored: true, limited: true, gap: duration - down,
		},
		{
			name:   "a lone failure within the bracket, then a short outage",
			scene:  scene{rate: 1000, answer: some(stall(down+350*ms, down+750*ms), lone(down+10*ms, down+11*ms, answer{failed: true}))},
			query:  func(q *impact) { q.before = q.after + 300*ms },
			outage: 400 * ms, gap: 400 * ms,
		},
		{
			name:   "a lone success in the middle does not end it",
			scene:  scene{rate: 1000, answer: some(refuse(down, down+4*sec), lone(down+2*sec, down+2*sec+5*ms, answer{took: 2 * ms}))},
			outage: 4 * sec, gap: 2 * sec,
		},
		{
			name:   "the outage's tail, diluted in five seconds, does not end it",
			scene:  scene{rate: 1000, answer: some(refuse(down, down+2*sec), lone(down+1700*ms, down+1703*ms, answer{took: 2 * ms}))},
			outage: 2 * sec, gap: 1700 * ms,
		},
		{
			name: "flapping: up and down every 300 ms for 3 s; the last 10 % of five seconds are forgiven",
			scene: scene{rate: 1000, answer: func(at int64) answer {
				if at >= down && at < down+3*sec && (at-down)/(300*ms)%2 == 0 {
					return answer{failed: true}
				}
				return healthy(at)
			}},
			outage: 2100 * ms, gap: 300 * ms,
		},
		{
			name: "slow recovery: half of the operations fail for 5 s more",
			scene: scene{rate: 1000, answer: some(refuse(down, down+sec), func(at int64) (answer, bool) {
				return answer{failed: true}, at >= down+sec && at < down+6*sec && at/ms%2 == 0
			})},
			outage: 6 * sec, accuracy: 100 * ms, gap: -1,
		},
		{
			name: "one in twenty fails ever after: served",
			scene: scene{rate: 1000, answer: some(refuse(down, down+sec), func(at int64) (answer, bool) {
				return answer{failed: true}, at >= down+sec && at/ms%20 == 7
			})},
			outage: sec, gap: sec,
		},
		{
			name: "a queue that drains slowly counts until answers are in time again",
			scene: scene{rate: 1000, answer: func(at int64) answer {
				// After 2 s the store catches up at twice the arrival rate: an operation of
				// instant x after the stall's begin waits until 2 s + x/2.
				x := at - down
				if x < 0 || x >= 4*sec {
					return healthy(at)
				}
				return answer{took: max(2*ms, 2*sec-x/2)}
			}},
			// Waiting falls to 100 ms at x = 3.8 s, which is answered at 3.9 s.
			outage: 3900 * ms, gap: -1,
		},
		{
			name:   "never back: censored at the end of the record",
			scene:  scene{rate: 1000, answer: refuse(down, duration)},
			outage: duration - down, censored: true, gap: duration - down,
		},
		{
			name:   "back less than five seconds before the end of the record: a lower bound",
			scene:  scene{rate: 1000, answer: refuse(down, duration-2*sec)},
			outage: duration - 2*sec - down, censored: true, gap: duration - 2*sec - down,
		},
		{
			name:   "the cool-down serves to prove that it is back",
			scene:  scene{rate: 1000, answer: refuse(down, duration-5*sec)},
			query:  func(q *impact) { q.until = duration - 5*sec },
			outage: duration - 5*sec - down, gap: duration - 5*sec - down,
		},
		{
			name:   "what fails in the cool-down only is not the fault's",
			scene:  scene{rate: 1000, answer: refuse(duration-2*sec, duration)},
			query:  func(q *impact) { q.until = duration - 5*sec },
			outage: 0, accuracy: 1, unaffected: true, gap: 0,
		},
		{
			name:   "the next fault ends what is known of this one",
			scene:  scene{rate: 1000, answer: some(refuse(down, down+sec), lone(down+4*sec, down+6*sec, answer{failed: true}))},
			query:  func(q *impact) { q.until, q.end = down+4*sec, down+4*sec },
			outage: sec, censored: true, gap: -1,
		},
		{
			name:   "10 operations per second: accurate to the distance of two",
			scene:  scene{rate: 10, answer: swallow(down, down+3*sec, 2*sec)},
			outage: 3 * sec, accuracy: 110 * ms, gap: 3 * sec, gapWithin: 110 * ms,
		},
		{
			name:   "10 operations per second, Poisson",
			scene:  scene{rate: 10, poisson: true, answer: swallow(down, down+8*sec, 2*sec)},
			outage: 8 * sec, accuracy: 600 * ms, gap: 8 * sec, gapWithin: 600 * ms,
		},
		{
			name:   "p99 before of 40 ms: 400 ms is in time",
			scene:  scene{rate: 1000, answer: stall(down, down+350*ms)},
			p99:    40 * ms,
			outage: 0, accuracy: 1, unaffected: true, gap: 350 * ms,
		},
		{
			name:   "p99 before of 40 ms: a longer stall is not shortened by it",
			scene:  scene{rate: 1000, answer: stall(down, down+3*sec)},
			p99:    40 * ms,
			outage: 3 * sec, gap: 3 * sec,
		},
		{
			name: "clients reached their bound",
			scene: scene{rate: 1000, answer: func(at int64) answer {
				a := swallow(down, down+3*sec, 2*sec)(at)
				a.waited = at > down+2*sec && at < down+3*sec
				return a
			}},
			outage: 3 * sec, limited: true, gap: 3 * sec,
		},
		{
			name: "clients reached their bound at another time",
			scene: scene{rate: 1000, answer: func(at int64) answer {
				a := swallow(down, down+3*sec, 2*sec)(at)
				a.waited = at < down-sec || at > down+10*sec
				return a
			}},
			outage: 3 * sec, gap: 3 * sec,
		},
		{
			name:     "closed loop, stall",
			timeline: closed(8, 0, duration, stall(down, down+3*sec)),
			query:    func(q *impact) { q.closed = true },
			outage:   3 * sec, limited: true, gap: 3 * sec,
		},
		{
			name:     "closed loop, swallowed: clients come back when their deadline lets them",
			timeline: closed(8, 0, duration, swallow(down, down+3*sec, 2*sec)),
			query:    func(q *impact) { q.closed = true },
			outage:   4 * sec, limited: true, gap: 4 * sec,
		},
		{
			name: "closed loop with fast operations and a slow one in flight",
			timeline: closed(64, down-sec, down+9*sec, func(at int64) answer {
				a := stall(down+5*ms, down+3*sec)(at)
				if a.took == 2*ms {
					a.took = ms
				}
				if at < down && at > down-ms {
					a.took = 3 * sec
				}
				return a
			}),
			query:  func(q *impact) { q.closed, q.until, q.end = true, down+9*sec, down+9*sec },
			outage: 3 * sec, limited: true, gap: 3 * sec,
		},
		{
			name:     "closed loop, never back",
			timeline: closed(8, 0, duration, stall(down, duration+2*sec)),
			query:    func(q *impact) { q.closed = true },
			outage:   duration - down, limited: true, censored: true, gap: duration - down,
		},
		{
			name:     "closed loop of one thread on a slow store",
			timeline: closed(1, 0, duration, func(int64) answer { return answer{took: 80 * ms} }),
			query:    func(q *impact) { q.closed = true },
			outage:   0, accuracy: 1, unaffected: true, gap: 80 * ms,
		},
		{
			name:   "nothing recorded at all",
			scene:  scene{rate: 0.0001, answer: healthy},
			outage: 0, accuracy: 1, unaffected: true, gap: -1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			recorded := c.timeline
			if recorded == nil {
				c.scene.duration = duration
				recorded = c.scene.play()
			}
			tl := recorded.timeline(t, duration)
			q := impact{after: down, before: down + 20*ms, until: duration, follow: duration, end: duration, bucket: overdueBucket(c.p99)}
			if c.query != nil {
				c.query(&q)
			}
			o := measureOutage(tl, q)
			if o.awayBefore != c.awayBefore {
				t.Errorf("away before: %t", o.awayBefore)
			}
			near(t, "outage", o.end-o.start, c.outage, c.accuracy)
			if c.gap >= 0 {
				near(t, "longest gap", o.gap, c.gap, c.gapWithin)
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

func near(t *testing.T, what string, got, want, accuracy int64) {
	t.Helper()
	if accuracy == 0 {
		accuracy = 50 * ms
	}
	if off := got - want; off > accuracy || off < -accuracy {
		t.Errorf("%s is %d µs, want %d ± %d", what, got, want, accuracy)
	} else {
		t.Logf("%s: %d µs, off by %d", what, got, off)
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
	const down, duration = 20 * sec, 60 * sec
	for _, c := range []struct{ from, to, apart int64 }{
		{down + 11*sec, down + 13*sec, down + 13*sec},
		{down + 11*sec, duration, duration},
		{down + sec, down + 2*sec, 0},
	} {
		s := scene{rate: 1000, duration: duration, answer: stall(c.from, c.to)}
		o := measureOutage(s.play().timeline(t, duration), impact{after: down, before: down + 20*ms, until: duration, follow: down + 10*sec, end: duration, bucket: overdueBucket(0)})
		near(t, "apart until", o.apart, c.apart, 20*ms)
		if o.affected != (c.apart == 0) {
			t.Errorf("affected: %t", o.affected)
		}
	}
}
