package outage

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/stores"
)

// sharded draws each operation's shard, and unknown says which of them have no answer.
func sharded(shards int, unknown func(at int64, kind stores.Kind, shard uint8) bool) func(int64) bundletest.Answer {
	random := rand.New(rand.NewPCG(3, 4))
	return func(at int64) bundletest.Answer {
		a := bundletest.Healthy(at)
		if shards > 0 {
			a.Shard = uint8(1 + random.IntN(shards))
		}
		if unknown(at, bundletest.KindOf(at), a.Shard) {
			a.Unknown, a.Took = true, 500*bundletest.Millisecond
		}
		return a
	}
}

// What is away may be a small part of all operations: a kind, or a member of many.
func TestAnOutageOfAFewOperationsIsNotHiddenByTheOthers(t *testing.T) {
	const down, back, duration = 20 * bundletest.Second, 30 * bundletest.Second, 60 * bundletest.Second
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
			10 * bundletest.Second, "READ m-3"},
		{"a twentieth of all operations: updates on one of ten", 4000, 9, func(at int64, kind stores.Kind, shard uint8) bool {
			return within(at) && shard == 9 && kind == stores.Update
		}, 10 * bundletest.Second, "UPDATE m-8"},
		{"all updates", 1000, 0, func(at int64, kind stores.Kind, _ uint8) bool { return within(at) && kind == stores.Update },
			10 * bundletest.Second, "UPDATE "},
		{"all updates, of which a member has too few", 60, 9, func(at int64, kind stores.Kind, _ uint8) bool { return within(at) && kind == stores.Update },
			10 * bundletest.Second, "UPDATE m-0, m-1, m-2, m-3, m-4, m-5, m-6, m-7, m-8"},
		{"all, of which a kind has too few", 12, 0, func(at int64, _ stores.Kind, _ uint8) bool { return within(at) }, 10 * bundletest.Second, " "},
		{"a third of the connections to a store that tells no shards", 2000, 0, func(at int64, _ stores.Kind, _ uint8) bool {
			return within(at) && random.IntN(3) == 0
		}, 10 * bundletest.Second, ""},
		{"one in a hundred, all the time", 4000, 9, func(int64, stores.Kind, uint8) bool { return random.IntN(100) == 0 }, 0, ""},
		{"one in twenty, all the time", 1000, 3, func(int64, stores.Kind, uint8) bool { return random.IntN(20) == 0 }, 0, ""},
		{"one slow operation", 1000, 3, func(at int64, _ stores.Kind, _ uint8) bool { return at == down+bundletest.Second }, 0, ""},
		{"two slow operations in a row", 100, 0, func(at int64, _ stores.Kind, _ uint8) bool {
			return at >= down+bundletest.Second && at < down+bundletest.Second+20*bundletest.Millisecond
		}, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := bundletest.Scene{Rate: c.rate, Duration: duration, Answer: sharded(c.shards, c.unknown)}
			var members []plan.Member
			for i := range c.shards {
				members = append(members, plan.Member{Name: fmt.Sprintf("m-%d", i)})
			}
			o := measureOutage(s.Play().Timeline(t, duration), impact{
				after: down, before: down + 20*bundletest.Millisecond, until: duration, follow: down + 15*bundletest.Second, end: duration, bucket: overdueBucket(0), members: members,
			})
			accuracy := int64(200 * bundletest.Millisecond)
			if c.outage == 0 {
				accuracy = 1
			}
			bundletest.Near(t, "outage", o.length(), c.outage, accuracy)
			bundletest.Near(t, "down in all", o.total, c.outage, accuracy)
			if c.outage > 0 && len(o.begins) != 1 || c.outage == 0 && len(o.begins) != 0 {
				t.Errorf("%d outages", len(o.begins))
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
	const down, duration = 20 * bundletest.Second, 60 * bundletest.Second
	s := bundletest.Scene{Rate: 1000, Duration: duration, Answer: func(at int64) bundletest.Answer {
		if at == down+200*bundletest.Millisecond || at >= down+3*bundletest.Second && at < down+4*bundletest.Second {
			return bundletest.Answer{Failed: true, Took: bundletest.Millisecond}
		}
		return bundletest.Healthy(at)
	}}
	o := measureOutage(s.Play().Timeline(t, duration), impact{
		after: down, before: down + 20*bundletest.Millisecond, until: duration, follow: down + 10*bundletest.Second, end: duration, bucket: overdueBucket(0),
	})
	bundletest.Near(t, "outage", o.length(), bundletest.Second, 20*bundletest.Millisecond)
	bundletest.Near(t, "its begin", o.start, down+3*bundletest.Second, 20*bundletest.Millisecond)
}

// What begins when a series is followed no more isn't seen.
func TestAnOutageIsALowerBoundWhereTheTargetIsWholeLongAfterwards(t *testing.T) {
	const down, duration = 20 * bundletest.Second, 400 * bundletest.Second
	s := bundletest.Scene{Rate: 100, Duration: duration, Answer: func(at int64) bundletest.Answer {
		if at >= down && at < down+bundletest.Second || at >= duration-30*bundletest.Second && at < duration-20*bundletest.Second {
			return bundletest.Answer{Failed: true, Took: bundletest.Millisecond}
		}
		return bundletest.Healthy(at)
	}}
	for follow, censored := range map[instant.FromStart]bool{down + 10*bundletest.Second: false, duration - 10*bundletest.Second: true} {
		o := measureOutage(s.Play().Timeline(t, duration), impact{
			after: down, before: down + 20*bundletest.Millisecond, until: duration, follow: follow, end: duration, bucket: overdueBucket(0),
		})
		bundletest.Near(t, "outage", o.length(), bundletest.Second, 20*bundletest.Millisecond)
		if o.censored != censored {
			t.Errorf("followed until %d: censored is %t", follow, o.censored)
		}
	}
}

// A series with few operations is silent for longer than they may take, though nobody waits for it.
func TestASilentSeriesWasNotAwayBefore(t *testing.T) {
	const down, duration = 20 * bundletest.Second, 40 * bundletest.Second
	all := bundletest.Recording{}
	for at := int64(0); at < duration; at += 2 * bundletest.Millisecond {
		all.Record(at/(14)*14, bundletest.Answer{Took: 2 * bundletest.Millisecond, Shard: 1}) // reads
	}
	for at := int64(7); at < down-150*bundletest.Millisecond; at += 98 * bundletest.Millisecond {
		all.Record(at/14*14+7, bundletest.Answer{Took: 2 * bundletest.Millisecond, Shard: 1}) // updates, ten a second
	}
	for at := int64(down); at < down+3*bundletest.Second; at += 98 * bundletest.Millisecond {
		all.Record(at/14*14+7, bundletest.Answer{Failed: true, Took: bundletest.Millisecond, Shard: 1})
	}
	for at := int64(down + 3*bundletest.Second); at < duration; at += 98 * bundletest.Millisecond {
		all.Record(at/14*14+7, bundletest.Answer{Took: 2 * bundletest.Millisecond, Shard: 1})
	}
	o := measureOutage(all.Timeline(t, duration), impact{
		after: down, before: down + 20*bundletest.Millisecond, until: duration, follow: down + 10*bundletest.Second, end: duration, bucket: overdueBucket(0), closed: true,
	})
	bundletest.Near(t, "outage", o.length(), 3*bundletest.Second, 200*bundletest.Millisecond)
	if o.awayBefore {
		t.Error("it was away before")
	}
}

// Two members are away one after the other; the times overlap, or not.
func TestOutagesOfSeveralSeriesAreUnited(t *testing.T) {
	const down, duration = 20 * bundletest.Second, 60 * bundletest.Second
	for _, c := range []struct {
		secondFrom, secondTo, total int64
		count                       int
	}{
		{down + 2*bundletest.Second, down + 5*bundletest.Second, 5 * bundletest.Second, 1},
		{down + 4*bundletest.Second, down + 6*bundletest.Second, 5 * bundletest.Second, 2},
	} {
		s := bundletest.Scene{Rate: 1000, Duration: duration, Answer: sharded(2, func(at int64, _ stores.Kind, shard uint8) bool {
			return shard == 1 && at >= down && at < down+3*bundletest.Second || shard == 2 && at >= c.secondFrom && at < c.secondTo
		})}
		o := measureOutage(s.Play().Timeline(t, duration), impact{
			after: down, before: down + 20*bundletest.Millisecond, until: duration, follow: down + 10*bundletest.Second, end: duration, bucket: overdueBucket(0),
		})
		bundletest.Near(t, "down in all", o.total, c.total, 100*bundletest.Millisecond)
		bundletest.Near(t, "longest", o.length(), 3*bundletest.Second, 100*bundletest.Millisecond)
		if len(o.begins) != c.count {
			t.Errorf("%d outages, want %d", len(o.begins), c.count)
		}
	}
}

// The clients of a closed loop all wait for the member that is away: the others have no outage.
func TestAClosedLoopsSilenceIsOfTheSeriesThatItWaitsFor(t *testing.T) {
	const down, back, duration = 20 * bundletest.Second, 23 * bundletest.Second, 40 * bundletest.Second
	all, random := bundletest.Recording{}, rand.New(rand.NewPCG(7, 8))
	for thread := range int64(8) {
		for at := thread * 100; at < duration; {
			a := bundletest.Answer{Took: 2 * bundletest.Millisecond, Shard: uint8(1 + random.IntN(3))}
			if a.Shard == 2 && at >= down && at < back {
				a.Took = back - at + bundletest.Millisecond
			}
			all.Record(at, a)
			at += a.Took
		}
	}
	o := measureOutage(all.Timeline(t, duration), impact{
		after: down, before: down + 20*bundletest.Millisecond, until: duration, follow: down + 10*bundletest.Second, end: duration, bucket: overdueBucket(0), closed: true,
		members: []plan.Member{{Name: "m-0"}, {Name: "m-1"}, {Name: "m-2"}},
	})
	bundletest.Near(t, "outage", o.length(), 3*bundletest.Second, 50*bundletest.Millisecond)
	for _, v := range o.views {
		if want := v.shard == "m-1"; (v.longest.length() > 0) != want {
			t.Errorf("%s on %q was away for %d µs", v.kind, v.shard, v.longest.length())
		}
	}
}

func TestSeriesWithFewOperationsAreNamed(t *testing.T) {
	s := bundletest.Scene{Rate: 1000, Duration: 20 * bundletest.Second, Answer: func(at int64) bundletest.Answer {
		a := bundletest.Healthy(at)
		switch a.Shard = 1; at % (140 * bundletest.Millisecond) {
		case 0: // of reads alone
			a.Shard = 2
		case 70 * bundletest.Millisecond:
			a.Shard = 3
		case 2 * bundletest.Millisecond: // of updates
			a.Shard = 2
		}
		return a
	}}
	judged, thin := viewsOf(s.Play().Timeline(t, 20*bundletest.Second), impact{
		after: 10 * bundletest.Second, end: 20 * bundletest.Second, members: []plan.Member{{Name: "m-0"}, {Name: "m-1"}, {Name: "m-2"}},
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
