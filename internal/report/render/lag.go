package render

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/stores"
)

// lagLine says how late operations were sent; empty in a closed loop.
func lagLine(g *report.Generator) string {
	if g.SendLag == nil {
		return ""
	}
	return fmt.Sprintf("lag of the sends p50 %s, p99 %s, longest %s", report.Human(g.SendLag.P50Micros), report.Human(g.SendLag.P99Micros), report.Human(g.SendLag.MaxMicros))
}

// lagNote names the percentiles of response times of which the lag is a large part.
func lagNote(w *report.Workload) string {
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
			if share := float64(p.lag) / float64(p.response); p.response > 0 && share > limits.MaxLagShare {
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
