package loadgen

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

func TestAClosedLoopGetsAProcessorWhereItFillsItsOwnAndACoreIsIdle(t *testing.T) {
	cores := func(own, idle float64) *bundle.Machine {
		return &bundle.Machine{OwnMicros: int64(own * 100_000), IdleMicros: int64(idle * 100_000)}
	}
	for name, c := range map[string]struct {
		now, most int
		machine   *bundle.Machine
		want      int
	}{
		"the store fills the other core":       {1, 2, cores(0.97, 0.1), 1},
		"the other core is idle":               {1, 2, cores(0.97, 0.9), 2},
		"it waits for the store":               {1, 2, cores(0.5, 1.4), 1},
		"many cores are idle":                  {4, 64, cores(3.9, 50), 8},
		"some are, beside the store's":         {4, 64, cores(3.9, 1.6), 6},
		"others have all of many":              {4, 64, cores(3.9, 0.2), 4},
		"it has all that it may have":          {4, 4, cores(3.9, 50), 4},
		"the kernel doesn't tell what is idle": {1, 64, nil, 64},
	} {
		t.Run(name, func(t *testing.T) {
			if got := wanted(c.now, c.most, c.machine, 100*time.Millisecond); got != c.want {
				t.Errorf("%d processors, want %d", got, c.want)
			}
		})
	}
}

func TestAClosedLoopBeginsWithOneProcessorAndGivesAllBack(t *testing.T) {
	for name, c := range map[string]struct {
		looks string // + is one that finds the loop's processors full, and cores idle
		want  []int
	}{
		"nothing is idle":               {"........", []int{1, 8}},
		"a core is idle now and then":   {"++.++.+.", []int{1, 8}},
		"one is, in three looks":        {"...+++..", []int{1, 2, 8}},
		"many are, all the time":        {"+++++++.", []int{1, 2, 4, 8}},
		"it comes to have all of them":  {"+++++++++", []int{1, 2, 4, 8, 8}},
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
				wait: func(_ context.Context, d time.Duration) bool {
					clock = clock.Add(d)
					if look++; look == len(c.looks) {
						cancel()
						return false
					}
					return true
				},
				now: func() time.Time { return clock },
				cpus: func() *bundle.Machine {
					if look < 0 || c.looks[look] == '.' {
						return &bundle.Machine{}
					}
					return &bundle.Machine{OwnMicros: time.Hour.Microseconds(), IdleMicros: time.Hour.Microseconds()}
				},
			}
			if len(c.looks) == len("+++++++++") {
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
		cpus: func() *bundle.Machine {
			if len(waited) == 6 {
				return &bundle.Machine{OwnMicros: time.Hour.Microseconds(), IdleMicros: time.Hour.Microseconds()}
			}
			return &bundle.Machine{}
		},
		wait: func(_ context.Context, d time.Duration) bool {
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
