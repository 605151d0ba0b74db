package observer

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/kvbench/kvbench/internal/stores"
)

// gauges are the live view of the members; no figure of a report comes from them.
type gauges struct {
	registry     *prometheus.Registry
	up, leader   *prometheus.GaugeVec
	term, steady prometheus.Gauge
}

func newGauges(members []string) *gauges {
	perMember := []string{"member"}
	g := &gauges{
		registry: prometheus.NewRegistry(),
		up: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "kvbench_member_up", Help: "1 if the member answered the last sample.",
		}, perMember),
		leader: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "kvbench_member_leader", Help: "1 if a majority of the members took this one for the leader.",
		}, perMember),
		term: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "kvbench_store_term", Help: "The leader's term in the last sample; without a leader, the highest of any member.",
		}),
		steady: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "kvbench_store_steady", Help: "1 if all members were healthy and knew one leader.",
		}),
	}
	g.registry.MustRegister(g.up, g.leader, g.term, g.steady)
	for _, member := range members {
		g.up.WithLabelValues(member).Set(0)
		g.leader.WithLabelValues(member).Set(0)
	}
	return g
}

func (g *gauges) set(members []stores.MemberState, verdict Verdict) {
	for _, member := range members {
		g.up.WithLabelValues(member.Name).Set(oneIf(member.Role != stores.MemberUnknown))
		g.leader.WithLabelValues(member.Name).Set(oneIf(member.Name == verdict.Leader))
	}
	g.term.Set(float64(verdict.Term))
	g.steady.Set(oneIf(verdict.Steady))
}

func (g *gauges) handler() http.Handler {
	return promhttp.HandlerFor(g.registry, promhttp.HandlerOpts{})
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
