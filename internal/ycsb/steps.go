package ycsb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/stats"
)

// Search is the search for the highest rate at which objectives are met.
type Search struct {
	*Settings
	Range      stats.SearchRange
	Objectives []Objective
	Format     string
}

// Answer is what a search found.
type Answer struct {
	// Rate is the highest at which the objectives were met; 0 for none. Above it, they were
	// missed at Missed; 0 when no step missed them.
	Rate       float64 `json:"rate"`
	Missed     float64 `json:"missed,omitempty"`
	Objectives string  `json:"objectives"`
	// Ended says why the search ended before its end.
	Ended string `json:"ended,omitempty"`
}

func (a *Answer) String() string {
	text := "no rate was found"
	switch {
	case a.Rate > 0 && a.Missed > 0:
		text = fmt.Sprintf("%s operations/s, to %.1f %%: missed at %s", number(a.Rate), 100*(a.Missed/a.Rate-1), number(a.Missed))
	case a.Rate > 0:
		text = fmt.Sprintf("at least %s operations/s: no step missed", number(a.Rate))
	case a.Missed > 0:
		text += fmt.Sprintf(": missed at %s operations/s", number(a.Missed))
	}
	text = a.Objectives + ": " + text
	if a.Ended != "" {
		text += "; the search ended early: " + a.Ended
	}
	return text
}

// Check says what the user has to change.
func (s *Search) Check() error {
	err := s.settleSteps()
	r := s.Range
	for _, o := range s.Objectives {
		if err == nil && !made(s.spec, o.Kind) {
			err = fmt.Errorf("--objective %q: the workload makes no %s", o, o.Kind)
		}
	}
	switch {
	case err != nil:
	case len(s.Objectives) == 0:
		err = errors.New(`an --objective is needed, such as "p99 of READ at most 10ms"`)
	case !(r.First >= stats.SlowestRate && r.First <= mostRate):
		err = fmt.Errorf("--from=%s: must be from %d to %s", number(r.First), stats.SlowestRate, number(mostRate))
	case !(r.Most >= r.First && r.Most <= mostRate):
		err = fmt.Errorf("--up-to=%s: must be from --from=%s to %s", number(r.Most), number(r.First), number(mostRate))
	case !(r.Growth > 1 && r.Growth <= 100):
		err = fmt.Errorf("--growth=%s: must be above 1 and at most 100", number(r.Growth))
	case !(r.Precision >= 0.001 && r.Precision <= 1):
		err = fmt.Errorf("--precision=%s: must be from 0.001 to 1", number(r.Precision))
	}
	return refuseUnless(err, s.Format)
}

func refuseUnless(err error, format string) error {
	if err == nil && !slices.Contains(TableFormats, format) {
		err = fmt.Errorf("--export %q: must be one of %s", format, strings.Join(TableFormats, ", "))
	}
	if err != nil {
		return BadInput{Cause: err}
	}
	return nil
}

// begin begins the table of what the steps bring.
func (s *Settings) begin(screen *Screen, format string) (*steps, *pointWriter) {
	s.sayUnused(screen)
	table := &pointWriter{to: screen.Out, format: format, percentiles: s.client.Percentiles}
	table.begin()
	return &steps{Settings: s, screen: screen}, table
}

// Do searches, and prints each step and the answer. A step that isn't valid by the
// generator's own fault is no answer either way, and ends the search.
func (s *Search) Do(ctx context.Context, screen *Screen) error {
	made, table := s.begin(screen, s.Format)
	var tried []stats.Tried
	var failed error
	for {
		rate, ok := s.Range.Next(tried)
		if !ok {
			break
		}
		var p *Point
		if p, failed = made.step(ctx, rate, 0); failed != nil {
			break
		}
		if len(p.Invalid) > 0 {
			table.add(p)
			failed = &NotValid{p.Invalid}
			break
		}
		var met bool
		if met, failed = p.meets(s.Objectives, s.spec); failed != nil {
			table.add(p)
			break
		}
		p.Met = &met
		tried = append(tried, stats.Tried{Rate: rate, Met: met})
		table.add(p)
	}
	answer := s.answer(tried, failed)
	if s.Format == "csv" {
		screen.say("%s", answer) // a table has no place for it
	}
	return worst(failed, table.end(answer))
}

func (s *Search) answer(tried []stats.Tried, failed error) *Answer {
	var objectives []string
	for _, o := range s.Objectives {
		objectives = append(objectives, o.String())
	}
	a := &Answer{Objectives: strings.Join(objectives, " and ")}
	a.Rate, a.Missed = stats.Bracket(tried)
	if math.IsInf(a.Missed, 1) {
		a.Missed = 0
	}
	if failed != nil {
		a.Ended = failed.Error()
	}
	return a
}

// Sweep measures at each rate, or with each number of threads.
type Sweep struct {
	*Settings
	Rates   []float64
	Threads []int
	Format  string
}

// Check says what the user has to change.
func (s *Sweep) Check() error {
	err := s.settleSteps()
	if err == nil && (len(s.Rates) == 0) == (len(s.Threads) == 0) {
		err = errors.New("either --rates or --threads is needed, such as --rates 100,200,400")
	}
	for _, rate := range s.Rates {
		if err == nil && !(rate > 0 && rate <= mostRate) {
			err = fmt.Errorf("--rates: %s is not above 0 and at most %s", number(rate), number(mostRate))
		}
	}
	for _, threads := range s.Threads {
		if err == nil && (threads < 1 || threads > mostThreads) {
			err = fmt.Errorf("--threads: %d is not from 1 to %d", threads, mostThreads)
		}
	}
	return refuseUnless(err, s.Format)
}

// Do measures each step and prints the curve. Steps that aren't valid are marked; they are
// the error when all are done.
func (s *Sweep) Do(ctx context.Context, screen *Screen) error {
	made, table := s.begin(screen, s.Format)
	var reasons []string
	var failed error
	for i := range max(len(s.Rates), len(s.Threads)) {
		var rate float64
		var threads int
		if len(s.Rates) > 0 {
			rate = s.Rates[i]
		} else {
			threads = s.Threads[i]
		}
		var p *Point
		if p, failed = made.step(ctx, rate, threads); failed != nil {
			break
		}
		for _, reason := range p.Invalid {
			reasons = append(reasons, fmt.Sprintf("step %d: %s", i+1, reason))
		}
		table.add(p)
	}
	if failed == nil && len(reasons) > 0 {
		failed = &NotValid{reasons}
	}
	return worst(failed, table.end(nil))
}
