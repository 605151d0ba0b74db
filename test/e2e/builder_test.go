//go:build e2e

package e2e

import (
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// option changes one thing of a run.
type option func(*v1alpha1.BenchmarkRun)

// newRun is a small run that works: three members, a closed loop of 3 s.
func newRun(stem string, options ...option) *v1alpha1.BenchmarkRun {
	second := v1alpha1.Duration("1s")
	run := &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("e2e-%s-%s", stem, rand.String(5))},
		Spec: v1alpha1.BenchmarkRunSpec{
			Store: v1alpha1.StoreSpec{Name: "etcd", Nodes: 3},
			Workloads: []v1alpha1.WorkloadSpec{{
				Name: "a", Preset: "A", Records: ptr.To[int64](200), Duration: ptr.To(v1alpha1.Duration("3s")),
			}},
			Load: v1alpha1.LoadSpec{WorkloadLoadSpec: v1alpha1.WorkloadLoadSpec{
				Workers: ptr.To[int32](1), Threads: ptr.To[int32](4), Warmup: &second, Cooldown: &second,
			}},
		},
	}
	for _, apply := range options {
		apply(run)
	}
	return run
}

func nodes(n int32) option {
	return func(r *v1alpha1.BenchmarkRun) { r.Spec.Store.Nodes = n }
}

func threads(n int32) option {
	return func(r *v1alpha1.BenchmarkRun) { r.Spec.Load.Threads = ptr.To(n) }
}

// openLoopWarmup is between the start of openLoop and its measurement.
const openLoopWarmup = 3 * time.Second

// openLoop is the demo's load, shorter: 15 s at 100/s by two workers.
func openLoop(r *v1alpha1.BenchmarkRun) {
	r.Spec.Workloads[0].Records = ptr.To[int64](1000)
	r.Spec.Workloads[0].Duration = ptr.To(v1alpha1.Duration("15s"))
	r.Spec.Load.WorkloadLoadSpec = v1alpha1.WorkloadLoadSpec{
		Workers: ptr.To[int32](2), Threads: ptr.To[int32](4), Rate: ptr.To[int64](100),
		Warmup: ptr.To(v1alpha1.Duration(openLoopWarmup.String())), Cooldown: ptr.To(v1alpha1.Duration("2s")),
	}
}

// gentle leaves cores to members of Java, after openLoop.
func gentle(r *v1alpha1.BenchmarkRun) {
	r.Spec.Store.Values = &apiextensionsv1.JSON{Raw: []byte(`{"resources":{"limits":{"cpu":"800m"}},"settings":{"compilation":"quick-only"}}`)}
	r.Spec.Load.Rate = ptr.To[int64](20)
	r.Spec.Load.Warmup = ptr.To(v1alpha1.Duration("10s"))
}

// killLeader at 5 s: a fault needs 10 s before the measurement's end.
func killLeader(r *v1alpha1.BenchmarkRun) {
	r.Spec.Faults = []v1alpha1.FaultSpec{{
		Name: "kill-leader", Action: "ContainerKill", At: "5s", Target: &v1alpha1.FaultTarget{Role: "Leader"},
	}}
}

// killAny ends the process of one member, whichever it is, at 5 s.
func killAny(r *v1alpha1.BenchmarkRun) {
	r.Spec.Faults = []v1alpha1.FaultSpec{{
		Name: "kill-one", Action: "ContainerKill", At: "5s", Target: &v1alpha1.FaultTarget{Role: "Any"},
	}}
}
