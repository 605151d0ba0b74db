//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
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

// catalogSizes are the usual numbers of members.
var catalogSizes = []int{1, 3, 5, 7, 9}

// catalogTable names the file that gets a line for each run, as docs/stores.md has them.
const catalogTable = "KVBENCH_CATALOG_TABLE"

// Each mode of each store, with each number of members that it can have.
var _ = Describe("The catalog", Ordered, ContinueOnFailure, Label("catalog"), func() {
	var rows []string
	AfterAll(func() {
		if file := os.Getenv(catalogTable); file != "" {
			head := "| store | mode | members | ready after | memory of all, MiB | reads | scans |\n|---|---|---|---|---|---|---|\n"
			Expect(os.WriteFile(file, []byte(head+strings.Join(rows, "")), 0o644)).To(Succeed())
		}
	})
	for _, name := range catalog.Deployable() {
		entry, _ := catalog.Find(name)
		for i := range entry.Modes {
			mode := &entry.Modes[i]
			for _, members := range catalogSizes {
				if !mode.CanHave(members) {
					continue
				}
				It(fmt.Sprintf("has %s, mode %s, with %d members", name, mode.Name, members), func(ctx SpecContext) {
					rows = append(rows, tryStore(ctx, name, mode, members))
				}, SpecTimeout(2*endTimeout))
			}
		}
	}
})

// tryStore makes a run of workload A, and of E where the mode has scans, and returns its row.
func tryStore(ctx context.Context, name string, mode *stores.Mode, members int) (row string) {
	GinkgoHelper()
	run := newRun("catalog", nodes(int32(members)), func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Store.Name, r.Spec.Store.Mode = name, mode.Name
		// What members of Java do for the first time takes seconds, on two cores that all share.
		r.Spec.Load.Warmup = ptr.To(v1alpha1.Duration("15s"))
		r.Spec.Load.OperationTimeout = ptr.To(v1alpha1.Duration("10s"))
		if mode.Scan != stores.ScanNone {
			r.Spec.Workloads = append(r.Spec.Workloads, v1alpha1.WorkloadSpec{
				Name: "e", Preset: "E", Records: ptr.To[int64](200), Duration: ptr.To(v1alpha1.Duration("5s")),
			})
		}
	})
	apply(ctx, run)
	memory := watchMemory(ctx, run)
	awaitEnd(ctx, run, endTimeout)
	mebibytes := memory()
	expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
	expectNothingLeft(ctx, run)
	found := readReport(ctx, run)
	Expect(found.Store.Members).To(HaveLen(members))
	did := map[string]int64{}
	for _, workload := range found.Workloads {
		Expect(workload.Succeeded).To(BeNumerically(">", 0), "workload %s: %+v", workload.Name, workload.Errors)
		for _, operation := range workload.Operations {
			did[operation.Operation] += operation.Count
		}
	}
	Expect(did).To(HaveKey("READ"))
	scans := "none"
	if mode.Scan != stores.ScanNone {
		Expect(did).To(HaveKey("SCAN"))
		scans = fmt.Sprint(did["SCAN"])
	}
	ready := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionStoreReady)
	Expect(ready).NotTo(BeNil())
	took := ready.LastTransitionTime.Sub(run.CreationTimestamp.Time).Round(time.Second)
	return fmt.Sprintf("| %s | `%s` | %d | %s | %d | %d | %s |\n", name, mode.Name, members, took, mebibytes, did["READ"], scans)
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
