package integration

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/report"
	results "github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// twoRates is a suite of two rates.
const twoRates = `
template:
  spec:
    store: {name: etcd, nodes: 3}
    workloads: [{name: a, preset: A, duration: 11s}]
    load: {warmup: 1s}
axes:
- {name: rate, path: /load/rate, values: [10, 20]}
trials: {count: 2}
`

func suiteOf(namespace, name, spec string) *v1alpha1.BenchmarkSuite {
	GinkgoHelper()
	suite := &v1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("%s-%d", name, GinkgoRandomSeed())}}
	Expect(yaml.UnmarshalStrict([]byte(spec), &suite.Spec)).To(Succeed())
	return suite
}

var _ = Describe("A suite", Ordered, Label("suites"), func() {
	var s *stage
	BeforeAll(func(ctx context.Context) {
		s = newStage()
		installRights(ctx, s.namespace)
		s.account = asAccount(ctx, systemNamespace, "kvbench-controller")
		s.results.measureFor = 100 * time.Millisecond
	})

	create := func(ctx context.Context, name, spec string, change ...func(*v1alpha1.BenchmarkSuite)) *v1alpha1.BenchmarkSuite {
		GinkgoHelper()
		suite := suiteOf(s.namespace, name, spec)
		for _, do := range change {
			do(suite)
		}
		Expect(k8sClient.Create(ctx, suite)).To(Succeed())
		DeferCleanup(func(ctx context.Context) {
			Expect(client.IgnoreNotFound(k8sClient.Delete(ctx, suite, client.PropagationPolicy(metav1.DeletePropagationBackground)))).To(Succeed())
			// There is no garbage collector.
			for _, run := range runsOf(ctx, suite) {
				Expect(client.IgnoreNotFound(k8sClient.Delete(ctx, &run))).To(Succeed())
			}
		})
		return suite
	}
	reaches := func(ctx context.Context, suite *v1alpha1.BenchmarkSuite, phase string) {
		GinkgoHelper()
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(suite), suite)).To(Succeed())
			g.Expect(suite.Status.Phase).To(Equal(phase), "%+v", suite.Status)
		}, time.Minute, 20*time.Millisecond).Should(Succeed())
	}
	edit := func(ctx context.Context, suite *v1alpha1.BenchmarkSuite, change func(*v1alpha1.BenchmarkSuiteSpec)) {
		GinkgoHelper()
		before := suite.DeepCopy()
		change(&suite.Spec)
		Expect(k8sClient.Patch(ctx, suite, client.MergeFrom(before))).To(Succeed())
	}
	stalled := func(suite *v1alpha1.BenchmarkSuite) string {
		GinkgoHelper()
		condition := meta.FindStatusCondition(suite.Status.Conditions, v1alpha1.ConditionStalled)
		Expect(condition).NotTo(BeNil())
		return condition.Message
	}

	It("runs all combinations in blocks, one after the other, though the operator is replaced", func(ctx context.Context) {
		stop := s.start(s.results, nil)
		suite := create(ctx, "blocks", twoRates)
		Eventually(func() int { return len(runsOf(ctx, suite)) }, time.Minute, 10*time.Millisecond).Should(BeNumerically(">=", 2))
		stop()
		DeferCleanup(s.start(s.results, nil))
		reaches(ctx, suite, "Complete")
		Expect(suite.Status.Runs).To(Equal(&v1alpha1.SuiteRuns{Total: 4, Done: 4}))
		Expect(suite.Status.Combinations).To(BeEquivalentTo(2))
		Expect(meta.IsStatusConditionTrue(suite.Status.Conditions, v1alpha1.ConditionReady)).To(BeTrue())
		Expect(suite.Status.CompletionTime).NotTo(BeNil())

		made := runsOf(ctx, suite)
		Expect(made).To(HaveLen(4))
		slices.SortFunc(made, func(a, b v1alpha1.BenchmarkRun) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
		for block := range 2 {
			first, second := &made[2*block], &made[2*block+1]
			for _, run := range []*v1alpha1.BenchmarkRun{first, second} {
				Expect(run.Name).To(HavePrefix(fmt.Sprintf("%s-b%d-c", suite.Name, block+1)))
				Expect(metav1.IsControlledBy(run, suite)).To(BeTrue())
			}
			Expect(*first.Spec.Seed).To(Equal(*second.Spec.Seed), "runs of a block send the same operations")
			Expect(*first.Spec.Load.Rate).NotTo(Equal(*second.Spec.Load.Rate))
			Expect(second.CreationTimestamp.Time).NotTo(BeTemporally("<", first.Status.CompletionTime.Time), "one after the other")
		}
		Expect(*made[0].Spec.Seed).NotTo(Equal(*made[2].Spec.Seed))

		told := s.results.suiteOf(string(suite.UID))
		Expect(told.Complete).To(BeTrue())
		Expect(told.Axes).To(Equal([]manifest.Axis{{Name: "rate", Values: []string{"10", "20"}, Fields: []string{"/load/rate"}}}))
		Expect(told.Trials).To(HaveLen(4))
		for i, trial := range told.Trials {
			Expect(trial.Attempts).To(Equal([]manifest.Attempt{{Run: made[i].Name, UID: string(made[i].UID), Outcome: manifest.Valid}}))
		}
		Expect(suite.Status.Report.Location).To(Equal("/v1/suites/" + string(suite.UID)))

		By("deleting a run, which is not made again")
		Expect(k8sClient.Delete(ctx, &made[0])).To(Succeed())
		Eventually(func() []v1alpha1.BenchmarkRun { return runsOf(ctx, suite) }).Should(HaveLen(3))
		edit(ctx, suite, func(spec *v1alpha1.BenchmarkSuiteSpec) { spec.MaxRuns = ptr.To[int32](200) })
		Eventually(func() int64 {
			Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(suite), suite)).To(Succeed())
			return suite.Status.ObservedGeneration
		}).Should(Equal(suite.Generation))
		Expect(runsOf(ctx, suite)).To(HaveLen(3))

		By("asking for another trial, which takes the deleted run as well")
		edit(ctx, suite, func(spec *v1alpha1.BenchmarkSuiteSpec) { spec.Trials.Count = ptr.To[int32](3) })
		Eventually(func() int32 {
			Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(suite), suite)).To(Succeed())
			return doneOf(suite)
		}, time.Minute).Should(BeEquivalentTo(6))

		By("asking for too many, and then for fewer")
		edit(ctx, suite, func(spec *v1alpha1.BenchmarkSuiteSpec) { spec.Trials.Count = ptr.To[int32](101) })
		reaches(ctx, suite, "Blocked")
		Expect(stalled(suite)).To(ContainSubstring("2 combinations × 101 trials are 202 runs, and maxRuns is 200"))
		edit(ctx, suite, func(spec *v1alpha1.BenchmarkSuiteSpec) { spec.Trials.Count = ptr.To[int32](1) })
		reaches(ctx, suite, "Complete")
		Expect(suite.Status.Runs).To(Equal(&v1alpha1.SuiteRuns{Total: 2, Done: 2}))
	})

	It("goes on where one of its name was deleted, though the operator is replaced", func(ctx context.Context) {
		stop := s.start(s.results, nil)
		adopting := func(suite *v1alpha1.BenchmarkSuite) { suite.Spec.Adopt = true }
		// The runs read a file, of which the fingerprint has the digest.
		lengths := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: fmt.Sprintf("lengths-%d", GinkgoRandomSeed())},
			Data: map[string]string{"lengths.txt": "BlockSize\t16\n0\t5\n1\t3\n"}}
		Expect(k8sClient.Create(ctx, lengths)).To(Succeed())
		withFile := strings.Replace(twoRates, "preset: A", "preset: A, fieldLengthHistogram: {configMapKeyRef: {name: "+lengths.Name+", key: lengths.txt}}", 1)
		earlier := create(ctx, "adopts", withFile, adopting)
		Eventually(func() int32 {
			Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(earlier), earlier)).To(Succeed())
			return doneOf(earlier)
		}, time.Minute, 10*time.Millisecond).Should(BeNumerically(">=", 2))
		Expect(k8sClient.Delete(ctx, earlier, client.PropagationPolicy(metav1.DeletePropagationBackground))).To(Succeed())
		for _, run := range runsOf(ctx, earlier) { // there is no garbage collector
			Expect(client.IgnoreNotFound(k8sClient.Delete(ctx, &run))).To(Succeed())
		}
		Eventually(func() []v1alpha1.BenchmarkRun { return runsOf(ctx, earlier) }, time.Minute).Should(BeEmpty())
		before := s.results.suiteOf(string(earlier.UID))

		again := create(ctx, "adopts", withFile, adopting)
		Eventually(func() int { return len(runsOf(ctx, again)) }, time.Minute, 10*time.Millisecond).Should(BeNumerically(">=", 1))
		stop()
		DeferCleanup(s.start(s.results, nil))
		reaches(ctx, again, "Complete")
		Expect(again.Status.Seed).To(Equal(earlier.Status.Seed), "its blocks have the same order")
		Expect(again.Status.Runs.Adopted).To(BeNumerically(">=", 2))
		Expect(again.Status.Runs.Total).To(BeEquivalentTo(4))
		Expect(runsOf(ctx, again)).To(HaveLen(4 - int(again.Status.Runs.Adopted)))

		after := s.results.suiteOf(string(again.UID))
		Expect(after.Adoption.Suite).To(Equal(string(earlier.UID)))
		for i, trial := range before.Trials {
			if len(trial.Attempts) == 1 {
				trial.Attempts[0].Adopted = true
				Expect(after.Trials[i]).To(Equal(trial))
			}
		}
	})

	It("keeps its figures, with which a later one is compared", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		const four = `
template: {spec: {store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A, duration: 11s}], load: {warmup: 1s, rate: 10}}}
trials: {count: 4}
`
		baseline := fmt.Sprintf("main-%d", GinkgoRandomSeed())
		comparing := func(suite *v1alpha1.BenchmarkSuite) {
			suite.Spec.Compare = &v1alpha1.CompareSpec{Baselines: []v1alpha1.KeptBaseline{{Name: baseline}}, Objectives: []v1alpha1.SuiteObjective{
				{Objective: v1alpha1.Objective{Metric: "throughput", AtLeast: ptr.To(intstr.FromString("95%"))}, Against: baseline},
			}}
		}
		later := create(ctx, "later", four, comparing)
		reaches(ctx, later, "Blocked")
		Expect(stalled(later)).To(ContainSubstring("the baseline " + baseline + ": no suite has kept its figures under that name in the namespace " + s.namespace))

		earlier := create(ctx, "earlier", four, func(suite *v1alpha1.BenchmarkSuite) { suite.Spec.KeepAs = baseline })
		reaches(ctx, earlier, "Complete")
		Expect(earlier.Status.KeptAs).To(Equal(baseline))
		Expect(meta.IsStatusConditionTrue(earlier.Status.Conditions, v1alpha1.ConditionKept)).To(BeTrue())

		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(later), later)).To(Succeed())
			g.Expect(later.Status.Phase).To(Equal("Complete"))
		}, 2*time.Minute, 100*time.Millisecond).Should(Succeed())
		Expect(passed(later).Status).To(Equal(metav1.ConditionTrue), "%+v", passed(later))
		Expect(later.Status.KeptAs).To(BeEmpty())

		By("reading the same from a file")
		document, err := s.results.GetSuite(ctx, string(earlier.UID), "baseline.json")
		Expect(err).NotTo(HaveOccurred())
		file := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: baseline}, Data: map[string]string{"baseline.json": string(document)}}
		Expect(k8sClient.Create(ctx, file)).To(Succeed())
		filed := create(ctx, "filed", twoRates, comparing, func(suite *v1alpha1.BenchmarkSuite) {
			suite.Spec.Compare.Baselines[0].ConfigMapKeyRef = &v1alpha1.ConfigMapKeyRef{Name: baseline, Key: "baseline.jsn"}
		})
		reaches(ctx, filed, "Blocked")
		Expect(stalled(filed)).To(ContainSubstring("there is no ConfigMap " + baseline + " with the key baseline.jsn, or nothing in it: create it"))
		filed = create(ctx, "file", four, comparing, func(suite *v1alpha1.BenchmarkSuite) {
			suite.Spec.Compare.Baselines[0].ConfigMapKeyRef = &v1alpha1.ConfigMapKeyRef{Name: baseline, Key: "baseline.json"}
			suite.Spec.Compare.Objectives[0].AtLeast = ptr.To(intstr.FromString("200%"))
			suite.Spec.KeepAs = baseline
		})
		reaches(ctx, filed, "Complete")
		Expect(passed(filed).Status).To(Equal(metav1.ConditionFalse), "%+v", passed(filed))
		kept := meta.FindStatusCondition(filed.Status.Conditions, v1alpha1.ConditionKept)
		Expect(kept).To(HaveValue(And(HaveField("Status", metav1.ConditionFalse), HaveField("Message", "the objectives are not kept"))))
	})

	It("makes a run again whose generator lagged, and none whose store did not take its records", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		DeferCleanup(func() { s.results.findInvalid() })
		s.results.findInvalid(report.Reason{Reason: report.GeneratorLag, Message: "it lagged"})
		lagging := create(ctx, "lagging", twoRates, func(suite *v1alpha1.BenchmarkSuite) { suite.Spec.Trials.Count = ptr.To[int32](1) })
		reaches(ctx, lagging, "Complete")
		Expect(lagging.Status.Runs).To(Equal(&v1alpha1.SuiteRuns{Total: 2, Done: 2, Unusable: 2, Repeated: 4}))
		Expect(stalled(lagging)).To(MatchRegexp(`^no trial has valid numbers of rate=10 \(.*-b1-c1-r2: GeneratorLag\); rate=20 \(.*-b1-c2-r2: GeneratorLag\)$`))
		Expect(runsOf(ctx, lagging)).To(HaveLen(6))

		s.results.findInvalid(report.Reason{Reason: report.GeneratorLag, Message: "it lagged"}, report.Reason{Reason: report.LoadIncomplete, Message: "it did not load"})
		refusing := create(ctx, "refusing", twoRates, func(suite *v1alpha1.BenchmarkSuite) { suite.Spec.Trials.Count = ptr.To[int32](1) })
		reaches(ctx, refusing, "Complete")
		Expect(refusing.Status.Runs).To(Equal(&v1alpha1.SuiteRuns{Total: 2, Done: 2, Unusable: 2}))
	})

	It("measures combinations on one store, and those again whose generator lagged", func(ctx context.Context) {
		stop := s.start(s.results, nil)
		DeferCleanup(func() { s.results.findInvalid() })
		s.results.findInvalid(report.Reason{Reason: report.GeneratorLag, Message: "it lagged", Workload: "c2-a"})
		suite := create(ctx, "shared", twoRates, func(suite *v1alpha1.BenchmarkSuite) {
			suite.Spec.Reuse, suite.Spec.Trials.Count = "Store", ptr.To[int32](1)
		})
		Eventually(func() int { return len(runsOf(ctx, suite)) }, time.Minute, 10*time.Millisecond).Should(Equal(1))
		stop()
		DeferCleanup(s.start(s.results, nil))
		reaches(ctx, suite, "Complete")
		Expect(suite.Status.Runs).To(Equal(&v1alpha1.SuiteRuns{Total: 2, Done: 2, Unusable: 1, Repeated: 2}))
		Expect(stalled(suite)).To(Equal("no trial has valid numbers of rate=20 (" + suite.Name + "-b1-s1-r2: GeneratorLag)"))

		workloads := map[string][]string{}
		for _, run := range runsOf(ctx, suite) {
			for _, w := range run.Spec.Workloads {
				Expect(w.Reset).To(HaveValue(BeTrue()), "each begins with an empty store")
				workloads[strings.TrimPrefix(run.Name, suite.Name)] = append(workloads[strings.TrimPrefix(run.Name, suite.Name)], fmt.Sprint(w.Name, " ", *w.Load.Rate))
			}
		}
		Expect(workloads).To(HaveKeyWithValue("-b1-s1", ConsistOf("c1-a 10", "c2-a 20")))
		Expect(workloads).To(HaveKeyWithValue("-b1-s1-r1", ConsistOf("c2-a 20")))
		Expect(workloads).To(HaveKeyWithValue("-b1-s1-r2", ConsistOf("c2-a 20")))
		Expect(workloads).To(HaveLen(3))

		told := s.results.suiteOf(string(suite.UID))
		Expect(told.Reuse).To(Equal("Store"))
		for _, trial := range told.Trials {
			Expect(trial.Attempts).To(HaveLen(1 + 2*trial.Combination))
			Expect(trial.Attempts[0].Prefix).To(Equal(fmt.Sprintf("c%d-", trial.Combination+1)))
			Expect(trial.Attempts[0].Outcome).To(Equal([]manifest.Outcome{manifest.Valid, manifest.NotValid}[trial.Combination]))
		}

		By("taking them over")
		Expect(k8sClient.Delete(ctx, suite, client.PropagationPolicy(metav1.DeletePropagationBackground))).To(Succeed())
		for _, run := range runsOf(ctx, suite) { // there is no garbage collector
			Expect(client.IgnoreNotFound(k8sClient.Delete(ctx, &run))).To(Succeed())
		}
		Eventually(func() []v1alpha1.BenchmarkRun { return runsOf(ctx, suite) }, time.Minute).Should(BeEmpty())
		again := create(ctx, "shared", twoRates, func(suite *v1alpha1.BenchmarkSuite) {
			suite.Spec.Reuse, suite.Spec.Trials.Count, suite.Spec.Adopt = "Store", ptr.To[int32](1), true
		})
		reaches(ctx, again, "Complete")
		Expect(again.Status.Runs).To(Equal(&v1alpha1.SuiteRuns{Total: 2, Done: 2, Unusable: 1, Repeated: 2, Adopted: 2}))
		Expect(runsOf(ctx, again)).To(BeEmpty())
		for i, trial := range s.results.suiteOf(string(again.UID)).Trials {
			Expect(trial.Attempts).To(HaveLen(len(told.Trials[i].Attempts)))
			Expect(trial.Attempts[0].Prefix).To(Equal(told.Trials[i].Attempts[0].Prefix))
		}
	})

	It("searches the highest rate that keeps objectives, and measures it again, though the operator is replaced", func(ctx context.Context) {
		stop := s.start(s.results, nil)
		suite := create(ctx, "searching", `
template: {spec: {store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A, duration: 11s}], load: {warmup: 1s}}}
search: {from: 10, upTo: 1000, precision: 50%, objectives: [{metric: p99, operation: READ, atMost: 45us}]}
trials: {count: 2}
`)
		Eventually(func() int { return len(runsOf(ctx, suite)) }, time.Minute, 10*time.Millisecond).Should(BeNumerically(">=", 2))
		By("telling the results server of what it tried, so that nothing of it is forgotten")
		Eventually(func() bool {
			s.results.mu.Lock()
			defer s.results.mu.Unlock()
			return s.results.suites[string(suite.UID)] != nil
		}, time.Minute, 10*time.Millisecond).Should(BeTrue())
		told := s.results.suiteOf(string(suite.UID))
		Expect(told.Trials).To(BeEmpty())
		Expect(told.Search.UnderWay).To(BeTrue())
		Expect(told.Search.Found).To(HaveLen(1))
		Expect(s.results.lastNeeded().Runs).To(Equal(2*2+9), "runs: two blocks of two rates, and the rates that may be tried from 10 to 1000")
		Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(suite), suite)).To(Succeed())
		Expect(suite.Status.Phase).To(Equal("Searching"))
		stop()
		DeferCleanup(s.start(s.results, nil))
		reaches(ctx, suite, "Complete")
		Expect(suite.Status.Search).To(HaveLen(1))
		found := suite.Status.Search[0]
		Expect(found).To(And(HaveField("Combination", "the template"), HaveField("Holds", HaveValue(BeEquivalentTo(40))), HaveField("Misses", HaveValue(BeEquivalentTo(60)))))
		var tried []string
		for _, t := range found.Tried {
			tried = append(tried, fmt.Sprint(t.Rate, " ", t.Kept, " ", strings.TrimPrefix(t.Run, suite.Name)))
		}
		Expect(tried).To(Equal([]string{"10 true -c1-at10", "20 true -c1-at20", "40 true -c1-at40", "80 false -c1-at80", "60 false -c1-at60"}))
		for i, t := range s.results.suiteOf(string(suite.UID)).Search.Found[0].Tried {
			Expect(t).To(Equal(manifest.Tried{Rate: found.Tried[i].Rate, Kept: found.Tried[i].Kept, Run: found.Tried[i].Run, UID: found.Tried[i].UID}), "so that the results server keeps it")
		}
		Expect(suite.Status.Runs).To(Equal(&v1alpha1.SuiteRuns{Total: 4, Done: 4}))
		rates := map[string]int64{}
		for _, run := range runsOf(ctx, suite) {
			if i := slices.IndexFunc(suite.Status.Search[0].Tried, func(t v1alpha1.TriedRate) bool { return t.Run == run.Name }); i >= 0 {
				Expect(suite.Status.Search[0].Tried[i].UID).To(Equal(string(run.UID)))
				Expect(suite.Status.Search[0].Tried[i].Rate).To(Equal(*run.Spec.Load.Rate))
			}
			rates[strings.TrimPrefix(run.Name, suite.Name)] = *run.Spec.Load.Rate
		}
		Expect(rates).To(Equal(map[string]int64{"-c1-at10": 10, "-c1-at20": 20, "-c1-at40": 40, "-c1-at80": 80, "-c1-at60": 60, "-b1-c1": 40, "-b1-c2": 60, "-b2-c1": 40, "-b2-c2": 60}))
		document, err := s.results.GetSuite(ctx, string(suite.UID), "suite.md")
		Expect(err).NotTo(HaveOccurred())
		Expect(string(document)).To(ContainSubstring("| the template | 40/s | 2 of 2 trials | 60/s | 0 of 2 trials | 10 kept, 20 kept, 40 kept, 80 missed, 60 missed |  |"))
	})

	It("says whether its objectives are kept when all trials have ended", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		away := func(err error) {
			s.results.mu.Lock()
			defer s.results.mu.Unlock()
			s.results.refuses["verdict"] = err
		}
		away(errors.New("the results server is away"))
		DeferCleanup(func() { away(nil) })
		suite := create(ctx, "judged", twoRates+`
compare:
  objectives:
  - {metric: throughput, atLeast: 990, basis: Run}
  - {metric: throughput, atLeast: 900, where: {rate: 20}}
`)
		Eventually(func() string {
			Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(suite), suite)).To(Succeed())
			return passed(suite).Reason
		}, time.Minute, 20*time.Millisecond).Should(Equal("UnderWay"))
		reaches(ctx, suite, "Blocked")
		Expect(stalled(suite)).To(ContainSubstring("asking the results server for the verdict: the results server is away"))
		away(nil)
		reaches(ctx, suite, "Complete")
		Expect(passed(suite).Status).To(Equal(metav1.ConditionUnknown))
		Expect(stalled(suite)).To(Equal("nobody can tell whether 1 of 2 objectives are kept: " +
			"throughput at least 900 where rate=20: 990.4/s (2 trials are too few: it takes 6) in workload a with rate=20"))

		kept := create(ctx, "kept", twoRates+"compare: {objectives: [{metric: throughput, atLeast: 990, basis: Run}]}")
		reaches(ctx, kept, "Complete")
		Expect(passed(kept).Status).To(Equal(metav1.ConditionTrue), "%+v", passed(kept))
		Expect(meta.IsStatusConditionTrue(kept.Status.Conditions, v1alpha1.ConditionReady)).To(BeTrue())
		By("choosing the trials")
		fewer := kept.DeepCopy()
		fewer.Spec.Trials.Count = ptr.To[int32](1)
		Expect(k8sClient.Update(ctx, fewer)).To(MatchError(ContainSubstring("trials.count of a suite with objectives can't be lowered")))

		By("asking for more trials than there may be")
		edit(ctx, kept, func(spec *v1alpha1.BenchmarkSuiteSpec) { spec.Trials.Count = ptr.To[int32](101) })
		reaches(ctx, kept, "Blocked")
		Expect(passed(kept).Reason).To(Equal("UnderWay"))
		missed := create(ctx, "missed", twoRates+"compare: {objectives: [{metric: throughput, atLeast: 991, basis: Run}]}")
		reaches(ctx, missed, "Complete")
		Expect(stalled(missed)).To(ContainSubstring("1 of 1 objectives are missed: throughput at least 991 in each run: 990.4/s in workload a with rate=10"))
	})

	It("ends when it knows enough, or with the most trials", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		until := func(most int, metric string) string {
			return strings.NewReplacer("values: [10, 20]", "values: [10]", "{count: 2}", fmt.Sprintf("{min: 7, max: %d, until: {metric: %s, halfWidth: 5%%}}", most, metric)).Replace(twoRates)
		}
		for _, c := range []struct {
			name, spec string
			done       int32
		}{{"enough", until(10, "throughput"), 7}, {"never", until(8, "p99"), 8}} {
			suite := create(ctx, c.name, c.spec)
			reaches(ctx, suite, "Complete")
			Expect(suite.Status.Runs).To(Equal(&v1alpha1.SuiteRuns{Total: c.done, Done: c.done}), c.name)
			Expect(suite.Status.Blocks).To(Equal(c.done))
			told := s.results.suiteOf(string(suite.UID))
			Expect(told.Complete).To(BeTrue())
			Expect(told.Blocks).To(BeEquivalentTo(c.done))
			Expect(told.Confidence).To(Equal(0.975), "two looks share the error")
			By("asking again with other looks")
			Expect(k8sClient.Patch(ctx, suite, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"trials":{"max":30}}}`)))).To(MatchError(ContainSubstring("cannot be changed")))
		}
	})

	It("waits while it is suspended, and where somebody has taken a name", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		suite := create(ctx, "held", twoRates, func(suite *v1alpha1.BenchmarkSuite) {
			suite.Spec.Suspend, suite.Spec.Seed = true, ptr.To[int64](1)
		})
		reaches(ctx, suite, "Suspended")
		Expect(runsOf(ctx, suite)).To(BeEmpty())

		By("taking the name of its first run, as its owner")
		first := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { spec.Load.Rate = ptr.To[int64](99) })
		Expect(k8sClient.Delete(ctx, first)).To(Succeed())
		taken := first.DeepCopy()
		taken.ObjectMeta = metav1.ObjectMeta{Namespace: s.namespace, Name: suite.Name + "-b1-c1", OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(suite, v1alpha1.GroupVersion.WithKind("BenchmarkSuite"))}}
		other := taken.DeepCopy()
		other.Name = suite.Name + "-b1-c2"
		Expect(k8sClient.Create(ctx, taken)).To(Succeed())
		Expect(k8sClient.Create(ctx, other)).To(Succeed())
		edit(ctx, suite, func(spec *v1alpha1.BenchmarkSuiteSpec) { spec.Suspend = false })
		reaches(ctx, suite, "Blocked")
		Expect(stalled(suite)).To(MatchRegexp("the BenchmarkRun .*-b1-c[12] exists and isn't this suite's, or has another spec than the suite wants: delete it, and the suite goes on"))

		By("giving the names back")
		Expect(k8sClient.Delete(ctx, taken)).To(Succeed())
		Expect(k8sClient.Delete(ctx, other)).To(Succeed())
		reaches(ctx, suite, "Complete")
		Expect(suite.Status.Runs.Unusable).To(BeZero())
	})

	It("lists all that is wrong with it before the first run", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		suite := create(ctx, "wrong", `
template: {spec: {store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A}]}}
axes:
- name: kind
  cases:
  - {name: good}
  - {name: typo, patch: {load: {rat: 1}}}
  - {name: unknown, patch: {store: {name: etdc}}}
  - {name: fault, patch: {faults: [{name: kill, action: ContainerKill, at: 55s}]}}
  - {name: account, patch: {serviceAccountName: admin}}
  - {name: setting, patch: {store: {values: {settings: {snapshot-count: many}}}}}
compare:
  by: sort
  objectives:
  - {metric: outage, atMost: 3s}
  - {metric: errors, atMost: 95%, baseline: {kind: good}}
  - {metric: p99, operation: SCAN, atMost: 3s}
  - {metric: p99, atMost: 5, where: {kind: bad}}
`)
		reaches(ctx, suite, "Failed")
		Expect(stalled(suite)).To(And(
			ContainSubstring(`unknown field "load.rat" (in kind=typo)`),
			ContainSubstring("an axis can't change serviceAccountName: set it in the template (in kind=account)"),
			ContainSubstring(`there is no store "etdc": did you mean "etcd"?`),
			ContainSubstring("its chart doesn't render with spec.store.values: at spec.store.values.settings.snapshot-count:"),
			ContainSubstring("compare.by names the axis sort, which is not there"),
			ContainSubstring("compare.objectives[0].metric: outage is what faults do, and there is none"),
			ContainSubstring("compare.objectives[2].operation: there is no SCAN"),
			ContainSubstring("compare.objectives[1].atMost: errors has no ratio to a baseline"),
			ContainSubstring(`compare.objectives[3].atMost: "5" is no length of time`),
			ContainSubstring("faults[].at must be at least 10s before the end of its workload's duration"),
		), strings.ReplaceAll(stalled(suite), "; ", "\n"))
		Expect(runsOf(ctx, suite)).To(BeEmpty())

		By("leaving more than can be kept")
		refuse := func(what string, err error) {
			s.results.mu.Lock()
			defer s.results.mu.Unlock()
			s.results.refuses[what] = err
		}
		refuse("suite admission", &results.Error{Status: http.StatusRequestEntityTooLarge, Problem: wire.Problem{Error: "it would leave some 9 GiB"}})
		DeferCleanup(func() { refuse("suite admission", nil) })
		large := create(ctx, "large", twoRates)
		reaches(ctx, large, "Blocked")
		Expect(stalled(large)).To(ContainSubstring("asking for room for the suite's reports: results server: it would leave some 9 GiB"))
		Expect(runsOf(ctx, large)).To(BeEmpty())
		By("asking a results server of an earlier version")
		refuse("suite admission", &results.Error{Status: http.StatusMethodNotAllowed, Problem: wire.Problem{Error: "no such request"}})
		earlier := create(ctx, "earlier", twoRates, func(suite *v1alpha1.BenchmarkSuite) { suite.Spec.Suspend = true })
		reaches(ctx, earlier, "Suspended")

		By("sharing a store in runs that are too large")
		refuse("check", &results.Error{Status: http.StatusRequestEntityTooLarge, Problem: wire.Problem{Error: "the run's workers would write 5000 files"}})
		DeferCleanup(func() { refuse("check", nil) })
		crowded := create(ctx, "crowded", twoRates, func(suite *v1alpha1.BenchmarkSuite) { suite.Spec.Reuse = "Store" })
		reaches(ctx, crowded, "Blocked")
		Expect(stalled(crowded)).To(And(ContainSubstring("asking for room for a run of one store for: rate="), ContainSubstring("would write 5000 files")))
		Expect(runsOf(ctx, crowded)).To(BeEmpty())
		refuse("check", nil)

		By("waiting for what can't be known")
		never := create(ctx, "unknown", strings.Replace(twoRates, "{count: 2}", "{min: 8, max: 24, until: {metric: p99, operation: SCAN, halfWidth: 5%}}", 1))
		reaches(ctx, never, "Failed")
		Expect(stalled(never)).To(ContainSubstring("trials.until.operation: there is no SCAN"))
	})

	It("stops when it is changed past the API server's rules", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		suite := create(ctx, "changed", twoRates, func(suite *v1alpha1.BenchmarkSuite) { suite.Spec.Suspend = true })
		reaches(ctx, suite, "Suspended")
		before := suite.Spec.Template.Spec.Raw
		// An object without a schema is compared by the names that both sides have.
		edit(ctx, suite, func(spec *v1alpha1.BenchmarkSuiteSpec) {
			spec.Template.Spec.Raw = []byte(strings.Replace(string(before), `"load":{"warmup":"1s"}`, `"timeouts":{"load":"1h"}`, 1))
		})
		Expect(suite.Spec.Template.Spec.Raw).NotTo(Equal(before))
		reaches(ctx, suite, "Blocked")
		Expect(stalled(suite)).To(ContainSubstring("are others than those that it was accepted with"))

		By("putting it back")
		edit(ctx, suite, func(spec *v1alpha1.BenchmarkSuiteSpec) { spec.Template.Spec.Raw = before })
		reaches(ctx, suite, "Suspended")
	})

	It("has a name that fits a label", func(ctx context.Context) {
		suite := suiteOf(s.namespace, strings.Repeat("n", 60), twoRates)
		Expect(k8sClient.Create(ctx, suite)).To(MatchError(ContainSubstring("the name of a suite has at most 63 characters")))
	})

	It("is changed in its trials, its bound and its suspension alone", func(ctx context.Context) {
		suite := create(ctx, "fixed", strings.Replace(twoRates, "axes:\n", "axes:\n- {name: mode, path: /store/mode, values: [linearizable]}\n", 1), func(suite *v1alpha1.BenchmarkSuite) { suite.Spec.Suspend = true })
		for field, change := range map[string]func(*v1alpha1.BenchmarkSuiteSpec){
			"template": func(spec *v1alpha1.BenchmarkSuiteSpec) {
				spec.Template.Spec.Raw = []byte(`{"store": {"name": "redis", "nodes": 1}}`)
			},
			"axes": func(spec *v1alpha1.BenchmarkSuiteSpec) {
				spec.Axes[0].Values[0] = apiextensionsv1.JSON{Raw: []byte("11")}
			},
			"exclude": func(spec *v1alpha1.BenchmarkSuiteSpec) {
				spec.Exclude = []v1alpha1.Combination{{"rate": intstr.FromInt32(10)}}
			},
			"order":   func(spec *v1alpha1.BenchmarkSuiteSpec) { slices.Reverse(spec.Axes) },
			"compare": func(spec *v1alpha1.BenchmarkSuiteSpec) { spec.Compare = &v1alpha1.CompareSpec{By: "rate"} },
			"seed":    func(spec *v1alpha1.BenchmarkSuiteSpec) { spec.Seed = ptr.To[int64](1) },
			"retries": func(spec *v1alpha1.BenchmarkSuiteSpec) { spec.Retries = ptr.To[int32](1) },
		} {
			changed := suite.DeepCopy()
			change(&changed.Spec)
			Expect(k8sClient.Update(ctx, changed)).To(MatchError(ContainSubstring("cannot be changed")), field)
		}
		edit(ctx, suite, func(spec *v1alpha1.BenchmarkSuiteSpec) {
			spec.Trials.Count, spec.MaxRuns, spec.Suspend = ptr.To[int32](9), ptr.To[int32](1000), true
		})
	})
})

func runsOf(ctx context.Context, suite *v1alpha1.BenchmarkSuite) []v1alpha1.BenchmarkRun {
	GinkgoHelper()
	runs := &v1alpha1.BenchmarkRunList{}
	Expect(k8sClient.List(ctx, runs, client.InNamespace(suite.Namespace), client.MatchingLabels{"kvbench.io/suite-uid": string(suite.UID)})).To(Succeed())
	return runs.Items
}

// passed is the condition Passed, or one that says nothing.
func passed(suite *v1alpha1.BenchmarkSuite) metav1.Condition {
	if condition := meta.FindStatusCondition(suite.Status.Conditions, v1alpha1.ConditionPassed); condition != nil {
		return *condition
	}
	return metav1.Condition{}
}

func doneOf(suite *v1alpha1.BenchmarkSuite) int32 {
	if suite.Status.Runs == nil {
		return 0
	}
	return suite.Status.Runs.Done
}
