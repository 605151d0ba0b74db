package loadgen

import (
	"context"
	"slices"
	"testing"
	"time"
)

func TestAClosedLoopGetsAProcessorWhereItNeedsOne(t *testing.T) {
	cores := func(ran, waited, idle float64) demand {
		unit := float64(100 * time.Millisecond)
		return demand{ran: time.Duration(ran * unit), waited: time.Duration(waited * unit), idle: time.Duration(idle * unit)}
	}
	for name, c := range map[string]struct {
		has, most int
		demand    demand
		want      int
	}{
		"the store fills the other core":                 {1, 2, cores(0.95, 0.02, 0.1), 1},
		"the other core is idle":                         {1, 2, cores(0.97, 0, 0.9), 2},
		"it waits for the store":                         {1, 2, cores(0.5, 0.02, 1.4), 1},
		"many processes of the store want the cores":     {1, 2, cores(0.5, 0.45, 0.3), 2},
		"they want them, and it answers all the same":    {1, 2, cores(0.3, 0.3, 0.1), 1},
		"many cores are idle":                            {4, 64, cores(3.9, 0.1, 50), 8},
		"some are, beside the store's":                   {4, 64, cores(3.9, 0.1, 1.6), 6},
		"others have all of many":                        {4, 64, cores(3.9, 0.1, 0.2), 4},
		"others have all of many, and it waits for some": {4, 64, cores(2.5, 1.4, 0.2), 5},
		"it has all that it may have":                    {4, 4, cores(3.9, 0.1, 50), 4},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.demand.processors(c.has, c.most, 100*time.Millisecond); got != c.want {
				t.Errorf("%d processors, want %d", got, c.want)
			}
		})
	}
}

func TestAClosedLoopBeginsWithOneProcessorAndGivesAllBack(t *testing.T) {
	for name, c := range map[string]struct {
		looks string // + finds the loop's processors full, and cores idle; ? finds nothing

		want []int
	}{
		"nothing is idle":               {"........", []int{1, 8}},
		"a core is idle now and then":   {"++.++.+.", []int{1, 8}},
		"one is, in three looks":        {"...+++..", []int{1, 2, 8}},
		"many are, all the time":        {"+++++++.", []int{1, 2, 4, 8}},
		"it comes to have all of them":  {"+++++++++", []int{1, 2, 4, 8, 8}},
		"the kernel tells nothing":      {"???", []int{1, 8, 8}},
		"it ends before the first look": {"", []int{1, 8}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			var set []int
			has, look, clock := 8, -1, time.Now()
			p := &processorShare{
				set: func(n int) int {
					before := has
					has = n
					set = append(set, n)
					return before
				},
				sleep: func(_ context.Context, d time.Duration) bool {
					clock = clock.Add(d)
					if look++; look == len(c.looks) {
						cancel()
						return false
					}
					return true
				},
				now: func() time.Time { return clock },
				cores: func() (demand, bool) {
					if look < 0 || c.looks[look] == '.' {
						return demand{}, true
					}
					return demand{ran: time.Hour, idle: time.Hour}, c.looks[look] != '?'
				},
			}
			if c.want[len(c.want)-2] == 8 {
				time.AfterFunc(0, cancel) // it looks no more
			}
			p.run(ctx)
			if !slices.Equal(set, c.want) {
				t.Errorf("it had %v processors, want %v", set, c.want)
			}
		})
	}
}

func TestLooksAtTheCoresAreRareWhileNothingIsWanted(t *testing.T) {
	var waited []time.Duration
	ctx, cancel := context.WithCancel(t.Context())
	p := &processorShare{
		set: func(int) int { return 2 }, now: time.Now,
		cores: func() (demand, bool) {
			if len(waited) == 6 {
				return demand{ran: time.Hour, idle: time.Hour}, true
			}
			return demand{}, true
		},
		sleep: func(_ context.Context, d time.Duration) bool {
			if waited = append(waited, d); len(waited) == 7 {
				cancel()
			}
			return ctx.Err() == nil
		},
	}
	p.run(ctx)
	if waited[0] != firstLook || waited[1] != 2*firstLook || waited[5] != longestLook || waited[6] != firstLook {
		t.Errorf("it looked after %v", waited)
	}
}
