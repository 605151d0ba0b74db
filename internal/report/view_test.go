package report

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// sharded draws each operation's shard, and unknown says which of them have no answer.
func sharded(shards int, unknown func(at int64, kind stores.Kind, shard uint8) bool) func(int64) answer {
	random := rand.New(rand.NewPCG(3, 4))
	return func(at int64) answer {
		a := healthy(at)
		if shards > 0 {
			a.shard = uint8(1 + random.IntN(shards))
		}
		if unknown(at, kindOf(at), a.shard) {
			a.unknown, a.took = true, 500*ms
		}
		return a
	}
}

// What is away may be a small part of all operations: a kind, or a member of many.
func TestAnOutageOfAFewOperationsIsNotHiddenByTheOthers(t *testing.T) {
	const down, back, duration = 20 * sec, 30 * sec, 60 * sec
	within := func(at int64) bool { return at >= down && at < back }
	random := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		name    string
		rate    float64
		shards  int
		unknown func(at int64, kind stores.Kind, shard uint8) bool
		outage  int64
		where   string // the series that shows it
	}{
		{"one of nine members is away", 1000, 9, func(at int64, _ stores.Kind, shard uint8) bool { return within(at) && shard == 4 },
			10 * sec, "READ m-3"},
		{"a twentieth of all operations: updates on one of ten", 4000, 9, func(at int64, kind stores.Kind, shard uint8) bool {
			return within(at) && shard == 9 && kind == stores.Update
		}, 10 * sec, "UPDATE m-8"},
		{"all updates", 1000, 0, func(at int64, kind stores.Kind, _ uint8) bool { return within(at) && kind == stores.Update },
			10 * sec, "UPDATE "},
		{"all updates, of which a member has too few", 60, 9, func(at int64, kind stores.Kind, _ uint8) bool { return within(at) && kind == stores.Update },
			10 * sec, "UPDATE m-0, m-1, m-2, m-3, m-4, m-5, m-6, m-7, m-8"},
		{"all, of which a kind has too few", 12, 0, func(at int64, _ stores.Kind, _ uint8) bool { return within(at) }, 10 * sec, " "},
		{"a third of the connections to a store that tells no shards", 2000, 0, func(at int64, _ stores.Kind, _ uint8) bool {
			return within(at) && random.IntN(3) == 0
		}, 10 * sec, ""},
		{"one in a hundred, all the time", 4000, 9, func(int64, stores.Kind, uint8) bool { return random.IntN(100) == 0 }, 0, ""},
		{"one in twenty, all the time", 1000, 3, func(int64, stores.Kind, uint8) bool { return random.IntN(20) == 0 }, 0, ""},
		{"one slow operation", 1000, 3, func(at int64, _ stores.Kind, _ uint8) bool { return at == down+sec }, 0, ""},
		{"two slow operations in a row", 100, 0, func(at int64, _ stores.Kind, _ uint8) bool { return at >= down+sec && at < down+sec+20*ms }, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scene{rate: c.rate, duration: duration, answer: sharded(c.shards, c.unknown)}
			var members []plan.Member
			for i := range c.shards {
				members = append(members, plan.Member{Name: fmt.Sprintf("m-%d", i)})
			}
			o := measureOutage(s.play().timeline(t, duration), impact{
				after: down, before: down + 20*ms, until: duration, follow: down + 15*sec, end: duration, bucket: overdueBucket(0), members: members,
			})
			accuracy := 200 * ms
			if c.outage == 0 {
				accuracy = 1
			}
			near(t, "outage", o.length(), c.outage, accuracy)
			near(t, "down in all", o.total, c.outage, accuracy)
			if c.outage > 0 && o.count != 1 || c.outage == 0 && o.count != 0 {
				t.Errorf("%d outages", o.count)
			}
			if c.where == "" {
				return
			}
			shows := slices.ContainsFunc(o.views, func(v viewOutage) bool {
				return v.kind+" "+v.shard == c.where && v.longest.length() >= c.outage-accuracy
			})
			if !shows {
				t.Errorf("%q doesn't show it: %+v", c.where, o.views)
			}
		})
	}
}

// A slow operation before the outage is no part of it.
func TestNoiseBeforeAnOutageDoesNotLengthenIt(t *testing.T) {
	const down, duration = 20 * sec, 60 * sec
	s := scene{rate: 1000, duration: duration, answer: func(at int64) answer {
		if at == down+200*ms || at >= down+3*sec && at < down+4*sec {
			return answer{failed: true, took: ms}
		}
		return healthy(at)
	}}
	o := measureOutage(s.play().timeline(t, duration), impact{
		after: down, before: down + 20*ms, until: duration, follow: down + 10*sec, end: duration, bucket: overdueBucket(0),
	})
	near(t, "outage", o.length(), sec, 20*ms)
	near(t, "its begin", o.start, down+3*sec, 20*ms)
}

// What begins when a series is followed no more isn't seen.
func TestAnOutageIsALowerBoundWhereTheTargetIsWholeLongAfterwards(t *testing.T) {
	const down, duration = 20 * sec, 400 * sec
	s := scene{rate: 100, duration: duration, answer: func(at int64) answer {
		if at >= down && at < down+sec || at >= duration-30*sec && at < duration-20*sec {
			return answer{failed: true, took: ms}
		}
		return healthy(at)
	}}
	for follow, censored := range map[int64]bool{down + 10*sec: false, duration - 10*sec: true} {
		o := measureOutage(s.play().timeline(t, duration), impact{
			after: down, before: down + 20*ms, until: duration, follow: follow, end: duration, bucket: overdueBucket(0),
		})
		near(t, "outage", o.length(), sec, 20*ms)
		if o.censored != censored {
			t.Errorf("followed until %d: censored is %t", follow, o.censored)
		}
	}
}

// A series with few operations is silent for longer than they may take, though nobody waits for it.
func TestASilentSeriesWasNotAwayBefore(t *testing.T) {
	const down, duration = 20 * sec, 40 * sec
	all := recording{}
	for at := int64(0); at < duration; at += 2 * ms {
		all.record(at/(14)*14, answer{took: 2 * ms, shard: 1}) // reads
	}
	for at := int64(7); at < down-150*ms; at += 98 * ms {
		all.record(at/14*14+7, answer{took: 2 * ms, shard: 1}) // updates, ten a second
	}
	for at := down; at < down+3*sec; at += 98 * ms {
		all.record(at/14*14+7, answer{failed: true, took: ms, shard: 1})
	}
	for at := down + 3*sec; at < duration; at += 98 * ms {
		all.record(at/14*14+7, answer{took: 2 * ms, shard: 1})
	}
	o := measureOutage(all.timeline(t, duration), impact{
		after: down, before: down + 20*ms, until: duration, follow: down + 10*sec, end: duration, bucket: overdueBucket(0), closed: true,
	})
	near(t, "outage", o.length(), 3*sec, 200*ms)
	if o.awayBefore {
		t.Error("it was away before")
	}
}

// Two members are away one after the other; the times overlap, or not.
func TestOutagesOfSeveralSeriesAreUnited(t *testing.T) {
	const down, duration = 20 * sec, 60 * sec
	for _, c := range []struct {
		secondFrom, secondTo, total int64
		count                       int
	}{
		{down + 2*sec, down + 5*sec, 5 * sec, 1},
		{down + 4*sec, down + 6*sec, 5 * sec, 2},
	} {
		s := scene{rate: 1000, duration: duration, answer: sharded(2, func(at int64, _ stores.Kind, shard uint8) bool {
			return shard == 1 && at >= down && at < down+3*sec || shard == 2 && at >= c.secondFrom && at < c.secondTo
		})}
		o := measureOutage(s.play().timeline(t, duration), impact{
			after: down, before: down + 20*ms, until: duration, follow: down + 10*sec, end: duration, bucket: overdueBucket(0),
		})
		near(t, "down in all", o.total, c.total, 100*ms)
		near(t, "longest", o.length(), 3*sec, 100*ms)
		if o.count != c.count {
			t.Errorf("%d outages, want %d", o.count, c.count)
		}
	}
}

// The clients of a closed loop all wait for the member that is away: the others have no outage.
func TestAClosedLoopsSilenceIsOfTheSeriesThatItWaitsFor(t *testing.T) {
	const down, back, duration = 20 * sec, 23 * sec, 40 * sec
	all, random := recording{}, rand.New(rand.NewPCG(7, 8))
	for thread := range int64(8) {
		for at := thread * 100; at < duration; {
			a := answer{took: 2 * ms, shard: uint8(1 + random.IntN(3))}
			if a.shard == 2 && at >= down && at < back {
				a.took = back - at + ms
			}
			all.record(at, a)
			at += a.took
		}
	}
	o := measureOutage(all.timeline(t, duration), impact{
		after: down, before: down + 20*ms, until: duration, follow: down + 10*sec, end: duration, bucket: overdueBucket(0), closed: true,
		members: []plan.Member{{Name: "m-0"}, {Name: "m-1"}, {Name: "m-2"}},
	})
	near(t, "outage", o.length(), 3*sec, 50*ms)
	for _, v := range o.views {
		if want := v.shard == "m-1"; (v.longest.length() > 0) != want {
			t.Errorf("%s on %q was away for %d µs", v.kind, v.shard, v.longest.length())
		}
	}
}

func TestSeriesWithFewOperationsAreNamed(t *testing.T) {
	s := scene{rate: 1000, duration: 20 * sec, answer: func(at int64) answer {
		a := healthy(at)
		switch a.shard = 1; at % (140 * ms) {
		case 0: // of reads alone
			a.shard = 2
		case 70 * ms:
			a.shard = 3
		case 2 * ms: // of updates
			a.shard = 2
		}
		return a
	}}
	judged, thin := s.play().timeline(t, 20*sec).views(impact{
		after: 10 * sec, end: 20 * sec, members: []plan.Member{{Name: "m-0"}, {Name: "m-1"}, {Name: "m-2"}},
	})
	var names, few []string
	for _, v := range judged {
		names = append(names, v.kind+" "+v.shard)
	}
	for _, v := range thin {
		few = append(few, v.kind+" "+v.shard)
	}
	if want := []string{"READ m-0", "READ m-1, m-2", "UPDATE m-0", " "}; !slices.Equal(names, want) {
		t.Errorf("judged %q, want %q", names, want)
	}
	if want := []string{"READ m-1", "READ m-2", "UPDATE m-1"}; !slices.Equal(few, want) {
		t.Errorf("not resolved %q, want %q", few, want)
	}
}

func TestAShardIsCalledByItsMembers(t *testing.T) {
	members := make([]plan.Member, 11)
	for i := range members {
		members[i].Name = fmt.Sprintf("m-%d", i)
	}
	for shard, want := range map[uint8]string{0: "", 1: "m-0, m-9", 2: "m-1, m-10", 3: "m-2", 9: "m-8"} {
		if got := shardName(shard, members); got != want {
			t.Errorf("shard %d is %q, want %q", shard, got, want)
		}
	}
}
