package loadgen

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores/scripted"
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
		"the store fills the other core":             {1, 2, cores(0.95, 0.02, 0.1), 1},
		"the other core is idle":                     {1, 2, cores(0.97, 0, 0.9), 2},
		"it waits for the store, and cores are idle": {1, 2, cores(0.5, 0.02, 1.4), 2},
		"it does next to nothing":                    {1, 2, cores(0.05, 0, 1.9), 1},
		"many processes of the store want the cores": {1, 2, cores(0.5, 0.45, 0.3), 2},
		"they want them while it is idle at times":   {1, 2, cores(0.3, 0.4, 0.1), 2},
		"many cores are idle":                        {4, 64, cores(3.9, 0.1, 50), 8},
		"some are, beside the store's":               {4, 64, cores(3.9, 0.1, 1.6), 6},
		"others have all of many":                    {4, 64, cores(3.9, 0.1, 0.2), 4},
		"others have all of many, and it waits":      {4, 64, cores(2.5, 1.4, 0.2), 5},
		"it does little on each of what it has":      {32, 64, cores(2, 0.1, 50), 32},
		"it has all that it may have":                {4, 4, cores(3.9, 0.1, 50), 4},
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
		looks string // + finds the loop's processors busy, and cores idle; . doesn't, and ? finds nothing
		want  []int
	}{
		"nothing is idle":                    {"........", []int{1, 8}},
		"a core is idle now and then":        {"++.++.+.", []int{1, 8}},
		"one is, in three looks":             {"...+++..", []int{1, 2, 8}},
		"many are, all the time":             {"+++++++.", []int{1, 2, 4, 8}},
		"it comes to have all of them":       {"+++++++++", []int{1, 2, 4, 8, 8}},
		"many are after the warm-up":         {"..........+++++", []int{1, 8}},
		"they are at the end of the warm-up": {".......+++++", []int{1, 2, 8}},
		"the kernel tells nothing":           {"???", []int{1, 8, 8}},
		"it ends before the first look":      {"", []int{1, 8}},
	} {
		t.Run(name, func(t *testing.T) {
			ended, end := context.WithCancel(t.Context())
			end() // it waits for nothing but its sleeps
			var set []int
			has, look, clock := 8, -2, time.Now()
			p := &processorShare{
				set: func(n int) int {
					before := has
					has = n
					set = append(set, n)
					return before
				},
				sleep: func(_ context.Context, d time.Duration) bool {
					clock = clock.Add(d)
					look++
					return look < len(c.looks)
				},
				now: func() time.Time { return clock },
				cores: func() (demand, bool) {
					if look < 0 || c.looks[look] == '.' {
						return demand{}, true
					}
					return demand{ran: time.Hour, idle: time.Hour}, c.looks[look] != '?'
				},
				begin: clock.Add(time.Second), settled: clock.Add(2 * time.Second),
			}
			p.run(ended)
			if !slices.Equal(set, c.want) {
				t.Errorf("it had %v processors, want %v", set, c.want)
			}
		})
	}
}

func TestAClosedLoopAloneSparesProcessors(t *testing.T) {
	for name, c := range map[string]struct {
		load   plan.Load
		loads  bool
		spares bool
	}{
		"a closed loop": {plan.Load{Threads: 2}, false, true},
		"a loader":      {plan.Load{Threads: 2}, true, true},
		"an open loop":  {plan.Load{Rate: 100, Arrivals: plan.ArrivalsConstant, MaxInFlight: 4}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			j, _, _ := job(t, scripted.Script{}, map[string]string{"readproportion": "1"}, c.load)
			j.Workload.DurationMillis = 100
			has := 8
			var set []int
			j.Processors = func(n int) int {
				before := has
				has = n
				set = append(set, n)
				return before
			}
			do := j.Measure
			if c.loads {
				do = j.Load
			}
			if err := do(t.Context()); err != nil {
				t.Fatal(err)
			}
			if c.spares != (len(set) >= 2 && set[0] == 1) || has != 8 {
				t.Errorf("it had %v processors, and leaves %d of 8", set, has)
			}
		})
	}
}
