package compile

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/stores"
)

// testCatalog has a store that elects a leader, and one whose members are all alike.
func testCatalog() Catalog {
	entries := []*stores.Entry{{
		Name: "raft", Chart: "raft-chart", DefaultVersion: "v1.2.3", DefaultMode: "linearizable",
		Modes: []stores.Mode{
			raftMode("linearizable", stores.PromiseLinearizable),
			raftMode("serializable", stores.PromiseDurable),
		},
		ClientPort: 1234,
		NeedsData:  "a member without its data can't rejoin",
		Security:   stores.Security{Levels: []string{stores.SecurityTLS}, User: "u", Lacks: "its users are nobody's"},
	}, {
		Name: "cache", Chart: "cache", DefaultVersion: "1", DefaultMode: "plain",
		Modes: []stores.Mode{
			{Name: "plain", Promise: stores.PromiseNone, Nodes: stores.UpTo(9), Container: "cache", MaxRecordBytes: 1 << 20, InMemory: true},
			{
				Name: "cluster", Promise: stores.PromiseEventual, Nodes: []int{3, 5, 7}, Leader: "primary", Container: "cache",
				Values: map[string]any{"cluster": map[string]any{"enabled": true, "replicas": 2}, "wait": 1},
			},
		},
		ClientPort: 11211, SharesConnections: true,
	}, {
		Name: "rejoining", Chart: "raft-chart", DefaultVersion: "v1", DefaultMode: "linearizable",
		Modes:      []stores.Mode{raftMode("linearizable", stores.PromiseLinearizable)},
		ClientPort: 1234,
		NeedsData:  "a member without its data needs help", RejoinsFrom: 3,
	}, {
		Name: "disks", Chart: "disks", DefaultVersion: "1", DefaultMode: "memory",
		Modes: []stores.Mode{
			{Name: "memory", Promise: stores.PromiseNone, Nodes: stores.UpTo(9), Container: "disks", NoAuth: "its users are on disks"},
			{Name: "disk", Promise: stores.PromiseNone, Nodes: stores.UpTo(9), Container: "disks"},
		},
		ClientPort: 1234,
		Security:   stores.Security{Levels: []string{stores.SecurityAuth, stores.SecurityTLS}, User: "u"},
	}, {
		Name: "nothing", DefaultMode: "plain", // without a chart
	}}
	return Catalog{
		Find: func(name string) (*stores.Entry, bool) {
			i := slices.IndexFunc(entries, func(e *stores.Entry) bool { return e.Name == name })
			if i < 0 {
				return nil, false
			}
			return entries[i], true
		},
		Names: func() []string { return []string{"raft", "cache"} },
	}
}

func raftMode(name string, promise stores.Promise) stores.Mode {
	return stores.Mode{
		Name: name, Promise: promise, Nodes: stores.UpTo(7), Leader: "leader", Container: "server", Scan: stores.ScanOrdered,
		Weakenings: []stores.Weakening{{Setting: "sync", Value: "never", Promise: stores.PromiseEventual}},
	}
}

// shortForm is the least that a run can say, changed by edits.
func shortForm(edits ...func(*v1alpha1.BenchmarkRun)) *v1alpha1.BenchmarkRun {
	run := &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: "bench", Name: "first", UID: "7f3c0e1a-0000-4000-8000-000000000001"},
		Spec: v1alpha1.BenchmarkRunSpec{
			Store:     v1alpha1.StoreSpec{Name: "raft", Nodes: 3},
			Workloads: []v1alpha1.WorkloadSpec{{Name: "a", Preset: "A"}},
		},
	}
	for _, edit := range edits {
		edit(run)
	}
	return run
}

type run = v1alpha1.BenchmarkRun

func ptr[T any](value T) *T { return &value }

func withValues(values string) func(*run) {
	return func(r *run) { r.Spec.Store.Values = &apiextensionsv1.JSON{Raw: []byte(values)} }
}

func withWorkloads(workloads ...v1alpha1.WorkloadSpec) func(*run) {
	return func(r *run) { r.Spec.Workloads = workloads }
}

func withFault(fault v1alpha1.FaultSpec) func(*run) {
	return func(r *run) {
		fault.Name, fault.At = "f", "30s"
		r.Spec.Faults = append(r.Spec.Faults, fault)
	}
}

// partition lasts 10 s.
func partition(parameters v1alpha1.PartitionParameters) v1alpha1.FaultSpec {
	return v1alpha1.FaultSpec{Action: "Partition", Duration: ptr(v1alpha1.Duration("10s")), FaultParameters: v1alpha1.FaultParameters{Partition: &parameters}}
}

func fileOf(configMap, key string) v1alpha1.FileSource {
	return v1alpha1.FileSource{ConfigMapKeyRef: v1alpha1.ConfigMapKeyRef{Name: configMap, Key: key}}
}

// replaying is a run of one workload that replays the key day.csv of a ConfigMap traces.
func replaying(edits ...func(*v1alpha1.WorkloadSpec)) func(*run) {
	w := v1alpha1.WorkloadSpec{Name: "a", Trace: &v1alpha1.TraceSpec{FileSource: fileOf("traces", "day.csv")}}
	for _, edit := range edits {
		edit(&w)
	}
	return withWorkloads(w)
}

// scheduled has the rates of the key day.csv of a ConfigMap rates.
func scheduled(r *run) {
	r.Spec.Load.RateShape = &v1alpha1.RateShape{Schedule: ptr(fileOf("rates", "day.csv"))}
}

// withLengths has the field lengths of the key hist.txt of a ConfigMap lengths.
func withLengths(r *run) {
	r.Spec.Workloads[0].FieldLengthHistogram = ptr(fileOf("lengths", "hist.txt"))
}
