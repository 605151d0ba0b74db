//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/forward"
)

// An etcd with its default election timeout of 1 s can't be back much sooner; above the
// upper bound something else is wrong.
const (
	shortestOutage = 500 * time.Millisecond
	longestOutage  = 15 * time.Second
)

var _ = Describe("A leader killed under load", Label("demo"), func() {
	It("is measured, reported, and leaves nothing behind", func(ctx SpecContext) {
		run := newRun("kill", openLoop, killLeader, func(r *v1alpha1.BenchmarkRun) {
			scans := r.Spec.Workloads[0]
			scans.Name, scans.Preset, scans.Load = "e", "E", &v1alpha1.WorkloadLoadSpec{Rate: ptr.To[int64](50)}
			scans.Reset = ptr.To(true)
			r.Spec.Workloads = append(r.Spec.Workloads, scans)
		})
		By("waiting with kubectl")
		var waited func() error
		found := measureValid(ctx, run, func() {
			apply(ctx, run)
			waited = inBackground(ctx, kubectl, "--kubeconfig", kubeconfig, "--namespace", namespace,
				"wait", "--for=condition=Complete", "--timeout=10m", "benchmarkrun/"+run.Name)
		})
		Expect(waited()).To(Succeed())

		By("reading the report")
		Expect(found.Store.Values).To(HaveKeyWithValue("settings", HaveKey("heartbeat-interval")))
		Expect(found.Workloads).To(HaveLen(2))
		Expect(found.Workloads[0].Throughput).To(BeNumerically("~", 100, 20))
		Expect(found.Workloads[1].Load.Rate).To(BeEquivalentTo(50), "its own")
		Expect(found.Workloads[1].Throughput).To(BeNumerically("~", 50, 20))
		Expect(found.Workloads[0].Loading).NotTo(BeNil())
		Expect(found.Workloads[0].Loading.Records).To(BeEquivalentTo(1000))
		Expect(found.Workloads[0].ResetMicros).To(BeNil(), "the store was new")
		Expect(found.Workloads[1].ResetMicros).To(HaveValue(BeNumerically(">", 0)))
		Expect(found.Workloads[1].Loading.Records).To(BeEquivalentTo(1000))
		Expect(found.Totals.ResetMicros).To(Equal(*found.Workloads[1].ResetMicros))

		By("seeing what the members used")
		used := found.Workloads[0].Usage
		Expect(used).NotTo(BeNil())
		Expect(used.Members).To(HaveLen(3))
		for _, member := range used.Members {
			Expect(member.Cores).To(HaveValue(BeNumerically("~", 0.5, 0.5)), member.Member)
			Expect(member.ResidentMaxBytes).To(HaveValue(BeNumerically(">", 10<<20)), member.Member)
			Expect(member.DataMaxBytes).To(HaveValue(BeNumerically(">", 0)), member.Member)
			Expect(member.Restarted).To(Equal(member.Member == found.Faults[0].Target), member.Member)
		}

		By("seeing a new leader, and an outage of a plausible length")
		Expect(found.Faults).To(HaveLen(1))
		fault := found.Faults[0]
		Expect(fault.Error).To(BeEmpty())
		Expect(fault.Effective).To(BeTrue())
		Expect(fault.Target).To(Equal(fault.LeaderBefore))
		Expect(fault.LeaderAfter).NotTo(BeEmpty())
		Expect(fault.LeaderAfter != fault.LeaderBefore || fault.TermAfter > fault.TermBefore).To(BeTrue(), "%+v", fault)
		Expect(fault.OutageMicros).NotTo(BeNil())
		Expect(time.Duration(*fault.OutageMicros) * time.Microsecond).To(BeNumerically(">", shortestOutage))
		Expect(time.Duration(*fault.OutageMicros) * time.Microsecond).To(BeNumerically("<", longestOutage))
		Expect(fault.OutageCensored).To(BeFalse())

		By("seeing scans that begin when the store is whole again, and find all records")
		Expect(meta.IsStatusConditionTrue(run.Status.Workloads[1].Conditions, v1alpha1.ConditionStoreWhole)).To(BeTrue())
		Expect(found.Workloads[1].Errors).To(BeEmpty())
		Expect(found.Workloads[1].Operations).To(ContainElement(And(HaveField("Operation", "SCAN"), HaveField("Count", BeNumerically(">", 0)))))

		By("finding the summary in the status")
		Expect(run.Status.Summary).NotTo(BeNil())
		Expect(run.Status.Summary.Faults).To(HaveLen(1))
		Expect(run.Status.Summary.Faults[0].OutageMicros).To(Equal(*fault.OutageMicros))

		By("checking the report against its schema")
		session := openResults(ctx)
		asJSON := download(ctx, session, run, forward.Report)
		expectSchema(asJSON)

		By("computing the report again from the bundle alone")
		archive := filepath.Join(GinkgoT().TempDir(), "bundle.tar")
		Expect(os.WriteFile(archive, download(ctx, session, run, forward.Bundle), 0o600)).To(Succeed())
		Expect(string(command(ctx, loadgen, "report", archive))).To(Equal(string(asJSON)))
		Expect(found.Kvbench).To(HavePrefix("v"), "the version that make links into the programs")
		Expect(string(download(ctx, session, run, forward.Markdown))).To(And(ContainSubstring("kill-leader"), ContainSubstring(found.Kvbench)))
	}, SpecTimeout(measureAllTimeout))
})

func expectSchema(document []byte) {
	GinkgoHelper()
	expectFits(document, "report.schema.json")
}

// expectFits wants a document to have one of the schemas of docs/reference.
func expectFits(document []byte, file string) {
	GinkgoHelper()
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(root, "docs", "reference", file))
	Expect(err).NotTo(HaveOccurred())
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	Expect(err).NotTo(HaveOccurred())
	Expect(schema.Validate(value)).To(Succeed())
}
