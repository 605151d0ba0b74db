package report

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/stores"
)

// judgeLag holds the generator's own delays against it: those that by themselves are as long
// as an outage is, and those that response times consist of.
func judgeLag(o *observed, say func(string, []int64, string, ...any)) {
	lag := latency(o.latencies.lag)
	if lag == nil {
		return
	}
	if lag.P99Micros > maxLagP99Micros {
		say(GeneratorLag, o.lagging(maxLagP99Micros), "1 %% of the operations were sent more than %s late, other than for want of a slot; at most %s is allowed",
			micros(lag.P99Micros), micros(maxLagP99Micros))
	}
	if lag.MaxMicros > maxLagMicros {
		say(GeneratorLag, o.lagging(maxLagMicros), "an operation was sent %s late, other than for want of a slot; at most %s is allowed",
			micros(lag.MaxMicros), micros(maxLagMicros))
	}
	for _, op := range o.latencies.report() {
		if op.Outcome != stores.OK.String() || op.ResponseTime == nil || op.WaitTime == nil {
			continue // all were parts of others, which nobody intended by themselves
		}
		response := op.ResponseTime.P50Micros
		if allowed := max(lagFloorMicros, int64(maxLagShare*float64(response))); lag.P50Micros > allowed {
			say(GeneratorLag, nil, "half of the operations were sent more than %s late, other than for want of a slot, and the median response time of %s is %s; at most %s is allowed",
				micros(lag.P50Micros), op.Operation, micros(response), micros(allowed))
			return
		}
	}
}

// lagLine says how late sends were; empty in a closed loop.
func (g *Generator) lagLine() string {
	if g.SendLag == nil {
		return ""
	}
	return fmt.Sprintf("lag of the sends p50 %s, p99 %s, longest %s", human(g.SendLag.P50Micros), human(g.SendLag.P99Micros), human(g.SendLag.MaxMicros))
}

// lagNote names the percentiles of response times of which the lag's are a large part.
func (w *Workload) lagNote() string {
	lag := w.Generator.SendLag
	if lag == nil {
		return ""
	}
	var operations []string
	for _, op := range w.Operations {
		r := op.ResponseTime
		if r == nil || op.WaitTime == nil || op.Outcome != stores.OK.String() {
			continue
		}
		var shares []string
		for _, p := range []struct {
			name          string
			lag, response int64
		}{
			{"p50", lag.P50Micros, r.P50Micros}, {"p95", lag.P95Micros, r.P95Micros},
			{"p99", lag.P99Micros, r.P99Micros}, {"p99.9", lag.P999Micros, r.P999Micros},
		} {
			if share := float64(p.lag) / float64(p.response); p.response > 0 && share > maxLagShare {
				shares = append(shares, fmt.Sprintf("%s %.0f %%", p.name, 100*min(share, 1)))
			}
		}
		if shares != nil {
			operations = append(operations, op.Operation+" "+strings.Join(shares, ", "))
		}
	}
	if operations == nil {
		return ""
	}
	return fmt.Sprintf("the generator's own lag is up to so much of the response times: %s; the service times have nothing of it", strings.Join(operations, "; "))
}
