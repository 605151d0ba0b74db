//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/suite/findings"
)

// template of the suites here: one member, at some operations a second.
const template = `
template:
  spec:
    store: {name: etcd, nodes: 1}
    workloads: [{name: a, preset: A, records: 200, duration: 10s}]
    load: {workers: 2, rate: 50, warmup: 2s, cooldown: 1s}
`

func newSuite(stem, spec string) *v1alpha1.BenchmarkSuite {
	GinkgoHelper()
	suite := &v1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("e2e-%s-%s", stem, rand.String(5))}}
	Expect(yaml.UnmarshalStrict([]byte(template+spec), &suite.Spec)).To(Succeed())
	return suite
}

// applySuite creates the suite, and deletes it and its runs when the spec is over.
func applySuite(ctx context.Context, suite *v1alpha1.BenchmarkSuite) {
	GinkgoHelper()
	Expect(k8s.Create(ctx, suite)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) {
		if CurrentSpecReport().Failed() {
			AddReportEntry("suite", fmt.Sprintf("%+v", suite.Status))
			for _, run := range runsOf(ctx, suite) {
				dump(ctx, &run)
			}
		}
		Expect(client.IgnoreNotFound(k8s.Delete(ctx, suite))).To(Succeed())
		Eventually(func() bool {
			return apierrors.IsNotFound(k8s.Get(ctx, client.ObjectKeyFromObject(suite), suite)) && len(runsOf(ctx, suite)) == 0
		}).WithContext(ctx).WithTimeout(deleteTimeout).Should(BeTrue(), "runs of the suite %s are left", suite.Name)
	}, NodeTimeout(deleteTimeout+time.Minute))
}

func runsOf(ctx context.Context, suite *v1alpha1.BenchmarkSuite) []v1alpha1.BenchmarkRun {
	GinkgoHelper()
	runs := &v1alpha1.BenchmarkRunList{}
	Expect(k8s.List(ctx, runs, client.InNamespace(suite.Namespace), client.MatchingLabels{"kvbench.io/suite-uid": string(suite.UID)})).To(Succeed())
	return runs.Items
}

// awaitSuite waits until all trials have ended.
func awaitSuite(ctx context.Context, suite *v1alpha1.BenchmarkSuite) {
	GinkgoHelper()
	Eventually(func() (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(suite), suite)
		return meta.IsStatusConditionTrue(suite.Status.Conditions, v1alpha1.ConditionComplete), err
	}).WithContext(ctx).WithTimeout(15*time.Minute).Should(BeTrue(), "the suite %s did not end", suite.Name)
}

func readSuite(ctx context.Context, suite *v1alpha1.BenchmarkSuite, document string) []byte {
	GinkgoHelper()
	var body bytes.Buffer
	Expect(openResults(ctx).Download(ctx, suite.Status.Report.Location+document, &body)).To(Succeed())
	return body.Bytes()
}

func readFindings(ctx context.Context, suite *v1alpha1.BenchmarkSuite) *findings.Report {
	GinkgoHelper()
	document := readSuite(ctx, suite, "/suite.json")
	expectFits(document, "suite.schema.json")
	found := &findings.Report{}
	Expect(json.Unmarshal(document, found)).To(Succeed())
	return found
}

// awaitRun waits for the n-th run of a suite to exist, and returns it.
func awaitRun(ctx context.Context, suite *v1alpha1.BenchmarkSuite, n int) (run *v1alpha1.BenchmarkRun) {
	GinkgoHelper()
	Eventually(func() int { return len(runsOf(ctx, suite)) }).WithContext(ctx).WithTimeout(5 * time.Minute).Should(Equal(n))
	Expect(k8s.Get(ctx, client.ObjectKeyFromObject(suite), suite)).To(Succeed())
	for _, made := range runsOf(ctx, suite) {
		if run == nil || run.CreationTimestamp.Before(&made.CreationTimestamp) {
			run = &made
		}
	}
	return run
}

var _ = Describe("A suite", Label("suites"), func() {
	It("goes on where it was when the controller is killed, and is answered from its runs", func(ctx SpecContext) {
		suite := newSuite("suite", `
axes: [{name: mode, path: /store/mode, values: [linearizable, serializable]}, {name: rate, path: /load/rate, values: [50, 100]}]
exclude: [{mode: serializable, rate: 100}]
reuse: Store
trials: {count: 1}
retries: 0
compare: {despite: [/store/promise], objectives: [{metric: throughput, atLeast: 40, basis: Run}]}
`)
		applySuite(ctx, suite)
		awaitStart(ctx, awaitRun(ctx, suite, 1))
		kill(ctx, systemNamespace, controllerPods)
		awaitSuite(ctx, suite)
		Expect(suite.Status.Runs.Total).To(BeEquivalentTo(3))
		Expect(suite.Status.Runs.Done).To(BeEquivalentTo(3))
		made := runsOf(ctx, suite)
		Expect(made).To(HaveLen(2), "the rates of a mode share a store")
		Expect(*made[0].Spec.Seed).To(Equal(*made[1].Spec.Seed))

		found := readFindings(ctx, suite)
		Expect(found.Complete).To(BeTrue())
		Expect(found.Combinations).To(HaveLen(3))
		for _, c := range found.Combinations {
			Expect(c.Valid + c.Unusable).To(Equal(1))
			Expect(c.Left).To(BeZero())
		}
		Expect(string(readSuite(ctx, suite, "/suite.md"))).To(ContainSubstring("| mode=linearizable, rate=100 |"))

		for _, c := range found.Comparisons {
			Expect(c.Differences).To(BeEmpty(), "runs of one suite are alike beside its axes: %s", c.Why)
		}

		By("judging its objective")
		passed := meta.FindStatusCondition(suite.Status.Conditions, v1alpha1.ConditionPassed)
		Expect(passed).NotTo(BeNil())
		Expect(found.Verdict).To(Equal(map[metav1.ConditionStatus]string{
			metav1.ConditionTrue: "Passed", metav1.ConditionFalse: "Failed", metav1.ConditionUnknown: "Unknown",
		}[passed.Status]), passed.Message)
		Expect(string(readSuite(ctx, suite, "/junit.xml"))).To(ContainSubstring(`name="throughput at least 40 in each run"`))

		showsToItsUser(ctx, suite)
	}, SpecTimeout(10*time.Minute))
})

var _ = Describe("A suite of several axes", Label("suites", "robustness"), func() {
	It("repeats the run that somebody sabotaged, and compares all others", func(ctx SpecContext) {
		suite := newSuite("matrix", `
axes:
- {name: mode, path: /store/mode, values: [linearizable, serializable]}
- {name: rate, path: /load/rate, values: [50, 100]}
trials: {count: 2}
compare:
  despite: [/store/promise]
  objectives:
  - {metric: throughput, atLeast: 40, basis: Run}
  - {metric: throughput, atLeast: 40}
  - {metric: p99, operation: READ, atMost: 105%, baseline: {mode: linearizable}}
`)
		applySuite(ctx, suite)
		awaitStart(ctx, awaitRun(ctx, suite, 1))
		kill(ctx, systemNamespace, controllerPods)

		By("killing a worker of the second run")
		second := awaitRun(ctx, suite, 2)
		until(ctx, awaitStart(ctx, second), 5*time.Second)
		sigkill(onePod(ctx, namespace, worker(second, "1")))

		awaitSuite(ctx, suite)
		Expect(suite.Status.Runs.Total).To(BeEquivalentTo(8))
		Expect(suite.Status.Runs.Done).To(BeEquivalentTo(8))
		Expect(suite.Status.Runs.Repeated).To(BeNumerically(">=", 1))
		again := &v1alpha1.BenchmarkRun{}
		Expect(k8s.Get(ctx, client.ObjectKey{Namespace: namespace, Name: second.Name + "-r1"}, again)).To(Succeed())

		found := readFindings(ctx, suite)
		Expect(found.Combinations).To(HaveLen(4))
		AddReportEntry("report", string(readSuite(ctx, suite, "/suite.md")))
		var compared []string
		for _, c := range found.Comparisons {
			if c.Metric == figures.Throughput {
				compared = append(compared, c.Axis)
			}
		}
		Expect(compared).To(Equal([]string{"mode", "mode", "rate", "rate"}))
		for _, c := range found.Comparisons {
			Expect(c.Differences).To(BeEmpty(), "runs of one suite are alike beside its axes: %s", c.Why)
		}

		By("judging its objectives: two trials are too few for an interval")
		Expect(found.Objectives[0].Verdict).To(Equal("Passed"), "%+v", found.Objectives[0])
		for _, o := range found.Objectives[1:] {
			Expect(o.Verdict).To(Equal("Unknown"), "%+v", o)
			Expect(o.Judged[0].Why).To(Equal("2 trials are too few: it takes 6"))
		}
		passed := meta.FindStatusCondition(suite.Status.Conditions, v1alpha1.ConditionPassed)
		Expect(passed.Status).To(Equal(metav1.ConditionUnknown))
		Expect(passed.Message).To(HavePrefix("nobody can tell whether 2 of 3 objectives are kept"))
	}, SpecTimeout(25*time.Minute))
})

var _ = Describe("A suite that searches", Label("suites", "robustness"), func() {
	It("finds the highest rate, and measures it again", func(ctx SpecContext) {
		suite := newSuite("search", `
search: {from: 50, upTo: 100, objectives: [{metric: errors, atMost: "0"}]}
trials: {count: 1}
`)
		var spec map[string]any
		Expect(json.Unmarshal(suite.Spec.Template.Spec.Raw, &spec)).To(Succeed())
		delete(spec["load"].(map[string]any), "rate")
		suite.Spec.Template.Spec.Raw, _ = json.Marshal(spec)
		applySuite(ctx, suite)
		awaitSuite(ctx, suite)
		Expect(suite.Status.Search).To(HaveLen(1))
		Expect(suite.Status.Search[0].Holds).To(HaveValue(BeEquivalentTo(100)), "%+v", suite.Status.Search)
		Expect(suite.Status.Search[0].Misses).To(BeNil())
		Expect(suite.Status.Runs.Total).To(BeEquivalentTo(1))
		Expect(runsOf(ctx, suite)).To(HaveLen(3))
		found := readFindings(ctx, suite)
		Expect(found.Search.Found[0].Holds.Rate).To(BeEquivalentTo(100))
		Expect(string(readSuite(ctx, suite, "/suite.md"))).To(ContainSubstring("| the template | 100/s |"))
	}, SpecTimeout(10*time.Minute))
})
