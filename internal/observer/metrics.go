package observer

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/version"
)

// gauges are the live view of the members; no figure of a report comes from them.
type gauges struct {
	registry *prometheus.Registry
	// Without a label, a vector is a gauge that isn't there until it is known.
	up, leader, term, steady *prometheus.GaugeVec
}

func newGauges(store string) *gauges {
	perMember := []string{"member"}
	g := &gauges{
		registry: prometheus.NewRegistry(),
		up: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "kvbench_member_up", Help: "1 if the member answered the last sample.",
		}, perMember),
		leader: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "kvbench_member_leader", Help: "1 if a majority of the members took this one for the leader.",
		}, perMember),
		term: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "kvbench_store_term", Help: "The leader's term in the last sample; without a leader, the highest of any member.",
		}, nil),
		steady: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "kvbench_store_steady", Help: "1 if all members were healthy and knew one leader.",
		}, nil),
	}
	prometheus.WrapRegistererWith(prometheus.Labels{"store": store}, g.registry).MustRegister(g.up, g.leader, g.term, g.steady)
	g.registry.MustRegister(version.Metric())
	return g
}

func (g *gauges) set(members []stores.MemberState, verdict Verdict) {
	for _, member := range members {
		g.up.WithLabelValues(member.Name).Set(oneIf(member.Role != stores.MemberUnknown))
		g.leader.WithLabelValues(member.Name).Set(oneIf(member.Name == verdict.Leader))
	}
	if verdict.Term > 0 {
		g.term.WithLabelValues().Set(float64(verdict.Term))
	} else {
		g.term.Reset()
	}
	g.steady.WithLabelValues().Set(oneIf(verdict.Steady))
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
