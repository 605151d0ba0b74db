package results

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/results/client"
)

// A machine whose clock is wrong at a restart must not cost a report, whichever way it is wrong.
func TestAClockThatWasSetAtARestartDeletesNoReport(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for what, steps := range map[string][]time.Duration{
		"ahead":                  {year},
		"ahead, then right":      {year, -year},
		"back":                   {-year},
		"back, then right":       {-year, year},
		"a month, just too much": {31 * 24 * time.Hour},
	} {
		t.Run(what, func(t *testing.T) {
			clock := &hands{now: time.Now()}
			h := registered(t, func(c *Config) { c.Now, c.KeepAge = clock.Now, 30*24*time.Hour })
			controller := h.as("controller")
			_, err := controller.MakeReport(t.Context(), runUID)
			must(t, err)
			for i, step := range steps {
				clock.add(step)
				h.restart()
				h.server.sweep()
				_, err = controller.GetReport(t.Context(), runUID)
				expect(t, "the report", err, nil)
				if i == 0 { // and what is made by such a clock is no exception
					must(t, controller.Register(t.Context(), otherUID, planOf(otherUID)))
					_, err := controller.MakeReport(t.Context(), otherUID)
					must(t, err)
					h.server.sweep()
				}
				_, err = controller.GetReport(t.Context(), otherUID)
				expect(t, "the other one", err, nil)
			}
			clock.add(29 * 24 * time.Hour)
			h.server.sweep()
			_, err = controller.GetReport(t.Context(), otherUID)
			expect(t, "before its time", err, nil)
			clock.add(2 * 24 * time.Hour)
			h.server.sweep()
			for _, uid := range []string{runUID, otherUID} {
				_, err = controller.GetReport(t.Context(), uid)
				expect(t, "after its time", err, client.ErrNotFound)
			}
		})
	}
}

func TestARunUnderWayIsNotLeftForAClockThatWasSetAtARestart(t *testing.T) {
	clock := &hands{now: time.Now()}
	h := registered(t, func(c *Config) { c.Now, c.Limits.Runs = clock.Now, 1 })
	must(t, h.as("worker").Claim(t.Context(), runUID, writerA0))
	clock.add(2 * quietAfter)
	h.restart()
	expect(t, "another one", h.as("controller").Register(t.Context(), otherUID, planOf(otherUID)), client.ErrFull)
}

func TestRunsGetOldAcrossRestarts(t *testing.T) {
	const day = 24 * time.Hour
	clock := &hands{now: time.Now()}
	h := registered(t, func(c *Config) { c.Now, c.KeepAge = clock.Now, 30*day })
	reader := h.as("reader")
	for range 30 {
		clock.add(day)
		h.server.sweep()
		h.restart()
		h.server.sweep()
		_, err := reader.State(t.Context(), runUID)
		expect(t, "before its time", err, nil)
	}
	clock.add(time.Hour)
	h.server.sweep()
	_, err := reader.State(t.Context(), runUID)
	expect(t, "after its time", err, client.ErrNotFound)
}

// Files that were put back from elsewhere have other times.
func TestARunIsNotYoungerThanNow(t *testing.T) {
	clock := &hands{now: time.Now()}
	h := registered(t, func(c *Config) { c.Now, c.KeepAge = clock.Now, time.Hour })
	later := clock.Now().Add(1000 * time.Hour)
	must(t, os.Chtimes(filepath.Join(h.config.Data, runsFolder, runUID, "plan.json"), later, later))
	h.restart()
	clock.add(2 * time.Hour)
	h.server.sweep()
	_, err := h.as("reader").State(t.Context(), runUID)
	expect(t, "after its time", err, client.ErrNotFound)
}
