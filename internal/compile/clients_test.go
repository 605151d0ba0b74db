package compile

import (
	"reflect"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

func group(name string, threads int32, mix v1alpha1.OperationMix) v1alpha1.ClientGroup {
	return v1alpha1.ClientGroup{Name: name, Threads: threads, Mix: mix}
}

// beside is a run of 30 readers and 10 writers.
func beside(edits ...func(*v1alpha1.WorkloadSpec)) func(*run) {
	return func(r *run) {
		w := &r.Spec.Workloads[0]
		w.Clients = []v1alpha1.ClientGroup{
			group("readers", 30, v1alpha1.OperationMix{Read: 1}),
			group("writers", 10, v1alpha1.OperationMix{Update: 3, Insert: 1}),
		}
		for _, edit := range edits {
			edit(w)
		}
	}
}

func TestGroupsOfClientsHaveMixesOfTheirOwn(t *testing.T) {
	w := mustCompile(t, beside()).Workloads[0]
	if w.Load.Threads != 40 || len(w.Clients) != 2 || w.Clients[1].Name != "writers" || w.Clients[1].Threads != 10 {
		t.Errorf("%+v of %d threads", w.Clients, w.Load.Threads)
	}
	weights := func(properties map[string]string) [stores.NumKinds]float64 {
		t.Helper()
		parsed, err := workload.Parse(properties, workload.FromRun(nil))
		if err != nil {
			t.Fatal(err)
		}
		return parsed.Weights
	}
	for i, want := range []map[stores.Kind]float64{{stores.Read: 1}, {stores.Update: 3, stores.Insert: 1}} {
		for kind, weight := range weights(w.Clients[i].Properties) {
			if weight != want[stores.Kind(kind)] {
				t.Errorf("group %d has the weight %v of %v", i, weight, stores.Kind(kind))
			}
		}
	}
	all := weights(w.Properties)
	if all[stores.Read] != 0.75 || all[stores.Update] != 0.1875 || all[stores.Insert] != 0.0625 {
		t.Errorf("all threads together have the mix %v", all)
	}
	if plain := mustCompile(t).Workloads[0]; plain.Clients != nil || reflect.DeepEqual(plain.Properties, w.Properties) {
		t.Errorf("a workload without groups: %+v", plain)
	}
}

func TestGroupsOfClientsThatNobodyCouldTellApartAreRefused(t *testing.T) {
	two := func(first, second v1alpha1.OperationMix) func(*v1alpha1.WorkloadSpec) {
		return func(w *v1alpha1.WorkloadSpec) {
			w.Clients = []v1alpha1.ClientGroup{group("one", 1, first), group("two", 1, second)}
		}
	}
	for want, edit := range map[string]func(*v1alpha1.WorkloadSpec){
		"one and two both have figures of READ":                                     two(v1alpha1.OperationMix{Read: 1}, v1alpha1.OperationMix{Read: 9, Update: 1}),
		"one and two both have figures of UPDATE":                                   two(v1alpha1.OperationMix{Update: 1}, v1alpha1.OperationMix{ReadModifyWrite: 1}),
		"the workload has a rate: leave clients or spec.workloads[0].load.rate out": func(w *v1alpha1.WorkloadSpec) { w.Load = &v1alpha1.WorkloadLoadSpec{Rate: ptr(int64(10))} },
		"clients have threads of their own":                                         func(w *v1alpha1.WorkloadSpec) { w.Load = &v1alpha1.WorkloadLoadSpec{Threads: ptr(int32(10))} },
		"readproportion is the mix of all threads": func(w *v1alpha1.WorkloadSpec) {
			w.Properties = map[string]v1alpha1.PropertyValue{"readproportion": "1"}
		},
		"the fast ones would end before the slow ones":                func(w *v1alpha1.WorkloadSpec) { w.Operations = ptr(int64(1000)) },
		"the group readers has readModifyWrite beside read or update": func(w *v1alpha1.WorkloadSpec) { w.Clients = w.Clients[:1]; w.Clients[0].Mix.ReadModifyWrite = 1 },
		"they have 1034 threads in each worker":                       func(w *v1alpha1.WorkloadSpec) { w.Clients[0].Threads = 1024 },
		"so they have figures of inserts as well":                     func(w *v1alpha1.WorkloadSpec) { w.Properties = map[string]v1alpha1.PropertyValue{"cacheaside": "true"} },
	} {
		_, err := With(shortForm(beside(edit)), nil, testCatalog())
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "spec.workloads[0]") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	_, err := With(shortForm(beside(), func(r *run) { r.Spec.Load.Threads = ptr(int32(9)) }), nil, testCatalog())
	if err == nil || !strings.Contains(err.Error(), "spec.load.threads: all workloads have clients") {
		t.Errorf("threads for all: %v", err)
	}
	if err := CheckObjective(&shortForm(beside()).Spec, &plan.Objective{Metric: "p99", Operation: "INSERT"}, nil); err != nil {
		t.Errorf("an objective of an operation of one group: %v", err)
	}
	if err := CheckObjective(&shortForm(beside()).Spec, &plan.Objective{Metric: "p99", Operation: "SCAN"}, nil); err == nil {
		t.Error("an objective of an operation of no group")
	}
}
