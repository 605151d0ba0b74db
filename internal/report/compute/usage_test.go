package compute_test

import (
	"testing"

	"github.com/kvbench/kvbench/internal/report/reporttest"
	"github.com/kvbench/kvbench/internal/stores"
)

func TestAKilledMemberIsShownAsRestarted(t *testing.T) {
	s := reporttest.NewSituation()
	for i := range s.Topology {
		bytes := int64(5)
		for _, member := range []string{"m-0", "m-1"} {
			s.Topology[i].Usage = append(s.Topology[i].Usage, stores.Usage{Member: member, AtUnixNanos: s.Topology[i].AtUnixNanos, DataBytes: &bytes})
		}
	}
	r := reporttest.Report(t, s.Build(t))
	for _, m := range r.Workloads[0].Usage.Members {
		if m.Restarted != (m.Member == s.Fault.Target) {
			t.Errorf("%+v", m)
		}
	}
}
