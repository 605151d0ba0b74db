package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kvbench/kvbench/internal/report"
)

// connectionsLine is a sentence about the connections.
func connectionsLine(c *report.Connections) string {
	text := fmt.Sprintf("%d connections before the first operation", c.Before)
	if c.Before > 0 {
		text += fmt.Sprintf(", %s each", report.Human(c.ConnectMeanMicros))
	}
	text += fmt.Sprintf("; %d made in the measurement", c.Opened)
	if c.Lost > 0 {
		text += fmt.Sprintf("; %d operations were lost with a connection that others shared", c.Lost)
	}
	if c.Waited > 0 {
		text += fmt.Sprintf("; %d operations waited for a place on one, %s on average, %s at most", c.Waited, report.Human(c.WaitMeanMicros), report.Human(c.WaitMaxMicros))
		if c.WaitedCrowded > 0 {
			text += fmt.Sprintf(", %d of them while the generator had no cores to spare", c.WaitedCrowded)
		}
	}
	return text
}

// loadLine says how the load was made.
func loadLine(l *report.Load) string {
	if l.Model == report.ModelClosed {
		text := fmt.Sprintf("closed loop, %d workers × %d threads", l.Workers, l.Threads)
		for i, group := range l.Clients {
			text += [...]string{": ", ", "}[min(i, 1)] + fmt.Sprintf("%d %s (%s), %s ops/s", group.Threads, group.Name, strings.Join(group.Operations, ", "), number(group.Throughput))
		}
		return text
	}
	arrivals := l.Arrivals
	if l.Trace != nil {
		arrivals = fmt.Sprintf("trace of %d requests, times × %s", l.Trace.Rows, strconv.FormatFloat(l.Trace.Stretch, 'g', -1, 64))
	}
	return fmt.Sprintf("open loop, %s operations/s (%s), %d workers, at most %d in flight",
		rateRange(l), arrivals, l.Workers, l.MaxInFlight)
}

// rateRange says between which bounds the rate changes.
func rateRange(l *report.Load) string {
	switch {
	case l.Trace != nil:
		return fmt.Sprintf("up to %s", number(l.Rate))
	case l.Shape == nil:
		return number(l.Rate)
	case l.Shape.Sine != nil:
		s := l.Shape.Sine
		return fmt.Sprintf("%s ± %s in %s", number(s.Mean), number(s.Amplitude), report.Human(s.PeriodMillis*1000))
	}
	lowest := l.Rate
	for _, s := range l.Shape.Segments {
		lowest = min(lowest, s.From, s.To)
	}
	return fmt.Sprintf("%s to %s in %d parts", number(lowest), number(l.Rate), len(l.Shape.Segments))
}

func loadingLine(l *report.Loading) string {
	text := fmt.Sprintf("%d records in %s, %s records/s", l.Records, report.Human(l.DurationMicros), number(l.Throughput))
	if l.Insert != nil {
		text += fmt.Sprintf(", insert p50 %s, p99 %s", report.Human(l.Insert.P50Micros), report.Human(l.Insert.P99Micros))
	}
	if !l.Valid {
		text += ": " + verdictOf(l.InvalidReasons)
	}
	return text
}
