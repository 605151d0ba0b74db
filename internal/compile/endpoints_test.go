package compile

import (
	"encoding/json"
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
)

// at is a run of three members that are there already.
func at(edits ...func(*run)) func(*run) {
	return func(r *run) {
		r.Spec.Store = v1alpha1.StoreSpec{Name: "raft", Nodes: 3, Endpoints: []v1alpha1.EndpointSpec{
			{Address: "a.example:2379"}, {Address: "10.0.0.2:2379"}, {Address: "[::1]:2379"},
		}}
		for _, edit := range edits {
			edit(r)
		}
	}
}

func TestEndpointsAreMembersAndNothingIsDeployed(t *testing.T) {
	named := func(r *run) {
		r.Spec.Store.Name, r.Spec.Store.Driver, r.Spec.Store.Container = "ours", "raft", "server-2"
		for i, pod := range []string{"x-0", "x-1", "x-2"} {
			r.Spec.Store.Endpoints[i].Pod = pod
		}
	}
	for name, c := range map[string]struct {
		edit func(*run)
		want string
	}{
		"by their addresses": {at(), `{"name":"raft","driver":"raft","mode":"linearizable","promise":"Linearizable","existing":true,` +
			`"container":"server","consensus":true,"persistent":false,"members":[{"index":0,"name":"a.example:2379","address":"a.example:2379"},` +
			`{"index":1,"name":"10.0.0.2:2379","address":"10.0.0.2:2379"},{"index":2,"name":"[::1]:2379","address":"[::1]:2379"}]}`},
		"of a store that has another name, by their pods": {at(named), `{"name":"ours","driver":"raft","mode":"linearizable","promise":"Linearizable","existing":true,` +
			`"container":"server-2","consensus":true,"persistent":false,"members":[{"index":0,"name":"x-0","address":"a.example:2379"},` +
			`{"index":1,"name":"x-1","address":"10.0.0.2:2379"},{"index":2,"name":"x-2","address":"[::1]:2379"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := json.Marshal(mustCompile(t, c.edit).Store)
			if err != nil || string(got) != c.want {
				t.Errorf("%s, %v, want %s", got, err, c.want)
			}
		})
	}
}

// What was there before the run is emptied only if the run says so.
func TestEndpointsAreEmptiedOnlyWhereItIsSaid(t *testing.T) {
	type workload = v1alpha1.WorkloadSpec
	type facts struct {
		reset, load bool
		records     int64
	}
	for name, c := range map[string]struct {
		workloads []workload
		want      []facts
	}{
		"nothing is said": {[]workload{{Name: "a", Preset: "A"}, {Name: "b", Preset: "B"}}, []facts{{false, true, 1000}, {false, false, 1000}}},
		"the first":       {[]workload{{Name: "a", Preset: "A", Reset: ptr(true)}}, []facts{{true, true, 1000}}},
		"what is there is measured": {[]workload{{Name: "a", Preset: "A", Reset: ptr(false), Records: ptr(int64(70))}, {Name: "b", Preset: "B"}},
			[]facts{{false, false, 70}, {false, false, 70}}},
	} {
		t.Run(name, func(t *testing.T) {
			for i, w := range mustCompile(t, at(), withWorkloads(c.workloads...)).Workloads {
				if got := (facts{w.Reset, w.LoadFirst, w.Records}); got != c.want[i] {
					t.Errorf("workload %s: %+v, want %+v", w.Name, got, c.want[i])
				}
			}
		})
	}
}

func TestFaultsOfEndpointsHitTheirPods(t *testing.T) {
	p := mustCompile(t, at(), withFault(v1alpha1.FaultSpec{Action: "PodKill", Target: &v1alpha1.FaultTarget{Role: "Leader"}}))
	if len(p.Faults) != 1 || p.Faults[0].Target.Role != plan.RoleLeader {
		t.Errorf("%+v", p.Faults)
	}
}
