package compute_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/stores/scripted"
)

// Three threads of two workers read, and one of each updates and deletes. All operations take as long, so the groups make as many
// as they have threads, and not as many as they have operations.
func TestGroupsOfClientsWorkBesideEachOther(t *testing.T) {
	t.Parallel()
	p := planOf(time.Second)
	p.Faults = nil
	w := &p.Workloads[0]
	w.DurationMillis = 2000
	w.Load.Rate, w.Load.Arrivals, w.Load.MaxInFlight, w.Load.Threads = 0, "", 0, 4
	maps.Copy(w.Properties, map[string]string{"readproportion": "0.75", "updateproportion": "0.125", "deleteproportion": "0.125"})
	w.Clients = []plan.ClientGroup{
		{Name: "readers", Threads: 3, Properties: map[string]string{"readproportion": "1", "updateproportion": "0", "deleteproportion": "0"}},
		{Name: "writers", Threads: 1, Properties: map[string]string{"readproportion": "0", "updateproportion": "1", "deleteproportion": "1"}},
	}
	run := newRun(t, scripted.New(scripted.Script{ServiceTime: 5 * time.Millisecond}), p)
	run.load(t)
	run.observe(t, run.measure(t), 0)

	r := run.reported(t)
	found := r.Workloads[0]
	counts := map[string]float64{}
	for _, operation := range found.Operations {
		if operation.Outcome == "ok" {
			counts[operation.Operation] += float64(operation.Count)
		}
	}
	groups := found.Load.Clients
	if len(groups) != 2 || groups[0].Threads != 3 || !slices.Equal(groups[0].Operations, []string{"READ"}) || !slices.Equal(groups[1].Operations, []string{"DELETE", "UPDATE"}) {
		t.Fatalf("%+v", groups)
	}
	seconds := float64(found.DurationMicros) / 1e6
	near := func(what string, got, want, part float64) {
		if math.Abs(got/want-1) > part {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	near("reads/s", groups[0].Throughput, counts["READ"]/seconds, 1e-9)
	near("writes/s", groups[1].Throughput, (counts["UPDATE"]+counts["DELETE"])/seconds, 1e-9)
	near("reads for each write", groups[0].Throughput/groups[1].Throughput, 3, 0.2)
	near("updates for each delete", counts["UPDATE"]/counts["DELETE"], 1, 0.5)
	if said := string(render.Markdown(r)); !strings.Contains(said, "closed loop, 2 workers × 4 threads: 3 readers (READ), ") || !strings.Contains(said, "1 writers (DELETE, UPDATE), ") {
		t.Error(said)
	}
}
