//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// catalogDuration is how long each workload measures: enough for operations of all its kinds. All
// runs together take two hours as it is.
const catalogDuration = v1alpha1.Duration("3s")

// catalogTimeout is for nine members of Java on two cores, of which one joins after the other.
const catalogTimeout = 15 * time.Minute

// Each mode of each store, with each number of members that it can have.
var _ = Describe("The catalog", Ordered, ContinueOnFailure, Label("catalog"), func() {
	for _, run := range catalogRuns() {
		It(fmt.Sprintf("has %s, mode %s, with %d members", run.store, run.mode, run.members), func(ctx SpecContext) {
			run.keep("did not pass | | | |") // until it has
			run.keep(tryStore(ctx, run))
		}, SpecTimeout(catalogTimeout+deleteTimeout))
	}
})

// tryStore makes a run of workload A, and of E where the mode has scans, and returns the rest of
// its line.
func tryStore(ctx context.Context, what catalogRun) (rest string) {
	GinkgoHelper()
	entry, _ := catalog.Find(what.store)
	mode, ok := entry.FindMode(what.mode)
	Expect(ok).To(BeTrue())
	run := newRun("catalog", nodes(int32(what.members)), func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Store.Name, r.Spec.Store.Mode = what.store, what.mode
		r.Spec.Workloads[0].Duration = ptr.To(catalogDuration)
		r.Spec.Load.Rate = ptr.To[int64](100)
		r.Spec.Load.Warmup = ptr.To(v1alpha1.Duration("2s"))
		// All members write to one disk, which may take seconds for a sync while the machine is busy. How fast
		// they are isn't asked here.
		r.Spec.Load.OperationTimeout = ptr.To(v1alpha1.Duration("10s"))
		if ofJava[what.store] {
			// What they do for the first time takes seconds, on two cores that all share: at a rate,
			// what is late then is never made up for.
			r.Spec.Load.Rate, r.Spec.Load.Threads = nil, ptr.To[int32](1)
			r.Spec.Load.Warmup = ptr.To(v1alpha1.Duration("5s"))
		}
		if mode.Scan != stores.ScanNone {
			r.Spec.Workloads = append(r.Spec.Workloads, v1alpha1.WorkloadSpec{
				Name: "e", Preset: "E", Records: ptr.To[int64](200), Duration: ptr.To(catalogDuration),
			})
		}
	})
	apply(ctx, run)
	memory := watchMemory(ctx, run)
	awaitEnd(ctx, run, catalogTimeout)
	mebibytes := memory()
	expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
	expectNothingLeft(ctx, run)
	found := readReport(ctx, run)
	Expect(found.Store.Members).To(HaveLen(what.members))
	did := map[string]int64{}
	for _, workload := range found.Workloads {
		Expect(workload.Errors).To(BeEmpty(), "workload %s", workload.Name)
		for _, operation := range workload.Operations {
			did[operation.Operation] += operation.Count
		}
	}
	Expect(did).To(HaveKeyWithValue("READ", BeNumerically(">", 0)))
	Expect(did).To(HaveKeyWithValue("UPDATE", BeNumerically(">", 0)))
	workloads := "A"
	if mode.Scan != stores.ScanNone {
		Expect(did).To(HaveKeyWithValue("SCAN", BeNumerically(">", 0)))
		workloads = "A, E"
	}
	ready := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionStoreReady)
	Expect(ready).NotTo(BeNil())
	took := ready.LastTransitionTime.Sub(run.CreationTimestamp.Time).Round(time.Second)
	valid := "yes"
	if !found.Valid {
		valid = found.InvalidReasons[0].Reason
	}
	return fmt.Sprintf("%s | %d | %s | %s |", took, mebibytes, workloads, valid)
}

// watchMemory looks every few seconds at what the store's pods have in memory, and returns the
// most that it saw, once the run is over.
func watchMemory(ctx context.Context, run *v1alpha1.BenchmarkRun) (most func() int64) {
	namespace, id := run.Namespace, compile.RunID(run.Name, string(run.UID))
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	var seen int64
	all.Go(func() {
		defer GinkgoRecover()
		again := time.NewTicker(3 * time.Second)
		defer again.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-again.C:
				seen = max(seen, memoryOf(ctx, namespace, id))
			}
		}
	})
	return func() int64 {
		cancel()
		all.Wait()
		Expect(seen).To(BeNumerically(">", 0), "no kubelet told of the members' memory")
		return seen >> 20
	}
}

// memoryOf asks the kubelets for the working sets of the members, in bytes.
func memoryOf(ctx context.Context, namespace, id string) (bytes int64) {
	pods, err := clients.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "app.kubernetes.io/instance=" + id})
	if err != nil {
		return 0
	}
	var nodes, members []string
	for i := range pods.Items {
		members = append(members, pods.Items[i].Name)
		nodes = append(nodes, pods.Items[i].Spec.NodeName)
	}
	slices.Sort(nodes)
	for _, node := range slices.Compact(nodes) {
		if node == "" {
			continue
		}
		answer, err := clients.CoreV1().RESTClient().Get().Resource("nodes").Name(node).SubResource("proxy").Suffix("stats", "summary").DoRaw(ctx)
		if err != nil {
			continue
		}
		var summary struct {
			Pods []struct {
				PodRef struct{ Name, Namespace string }
				Memory struct{ WorkingSetBytes int64 }
			}
		}
		if json.Unmarshal(answer, &summary) != nil {
			continue
		}
		for _, pod := range summary.Pods {
			if pod.PodRef.Namespace == namespace && slices.Contains(members, pod.PodRef.Name) {
				bytes += pod.Memory.WorkingSetBytes
			}
		}
	}
	return bytes
}
