package integration

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/plan"
	results "github.com/kvbench/kvbench/internal/results/client"
)

const (
	shortTrace = "time,operation,key,size\n0,READ,a,\n1.5,UPDATE,b,7\n2,READ,c,\n2.5,DELETE,a,\n"
	schedule   = "seconds,rate\n0,100\n5,50\n"
	lengths    = "BlockSize\t10\n0\t5\n1\t7\n"
)

func packed(text string) []byte {
	GinkgoHelper()
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	_, err := writer.Write([]byte(text))
	Expect(err).NotTo(HaveOccurred())
	Expect(writer.Close()).To(Succeed())
	return out.Bytes()
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

var _ = Describe("The files of a run", Ordered, Label("files"), func() {
	var s *stage
	BeforeAll(func(ctx context.Context) {
		s = newStage()
		installRights(ctx, s.namespace)
		s.account = asAccount(ctx, systemNamespace, "kvbench-controller")
		s.results.measureFor = 100 * time.Millisecond
	})

	// given makes a ConfigMap of a name of its own.
	given := func(ctx context.Context, data map[string]string, binary map[string][]byte) *corev1.ConfigMap {
		GinkgoHelper()
		held := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, GenerateName: "files-"}, Data: data, BinaryData: binary}
		Expect(k8sClient.Create(ctx, held)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(k8sClient.Delete(ctx, held))).To(Succeed()) })
		return held
	}
	in := func(held *corev1.ConfigMap, key string) v1alpha1.FileSource {
		return v1alpha1.FileSource{ConfigMapKeyRef: v1alpha1.ConfigMapKeyRef{Name: held.Name, Key: key}}
	}
	replaying := func(held *corev1.ConfigMap, key string) func(*v1alpha1.BenchmarkRunSpec) {
		return func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Workloads = []v1alpha1.WorkloadSpec{{Name: "a", Trace: &v1alpha1.TraceSpec{FileSource: in(held, key)}}}
			spec.Load.Workers = ptr.To[int32](2)
		}
	}
	copyOf := func(run *v1alpha1.BenchmarkRun) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: run.Namespace, Name: compile.RunID(run.Name, string(run.UID)) + "-files"}}
	}
	planOf := func(run *v1alpha1.BenchmarkRun) *plan.Plan {
		GinkgoHelper()
		kept := &plan.Plan{}
		Expect(json.Unmarshal(s.results.planOf(string(run.UID)), kept)).To(Succeed())
		return kept
	}
	refusal := func(run *v1alpha1.BenchmarkRun, reason string) string {
		GinkgoHelper()
		s.reach(run, v1alpha1.ConditionAccepted, reason)
		accepted := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted)
		Expect(accepted.Status).To(BeEquivalentTo("False"))
		s.nothingLeft(run)
		return accepted.Message
	}
	// measuring waits, with a worker that doesn't end before it is let go.
	measuring := func(ctx context.Context, run *v1alpha1.BenchmarkRun) {
		GinkgoHelper()
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(run), run)).To(Succeed())
			g.Expect(run.Status.Phase).To(Equal("Measuring"), "%+v", run.Status.Conditions)
		}, time.Minute).Should(Succeed())
	}
	hold := func() {
		s.sim.holdJobs.add("worker")
		DeferCleanup(func() { s.sim.holdJobs.remove("worker") })
	}

	DescribeTable("reach the plan and the pods, of each kind:",
		func(ctx context.Context, key string, content []byte, change func(*v1alpha1.BenchmarkRunSpec, v1alpha1.FileSource), planned func(*plan.Workload)) {
			hold()
			DeferCleanup(s.start(s.results, nil))
			held := given(ctx, nil, map[string][]byte{key: content})
			run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { change(spec, in(held, key)) })
			measuring(ctx, run)

			name := held.Name + "_" + key
			kept := copyOf(run)
			Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(kept), kept)).To(Succeed())
			Expect(kept.BinaryData).To(Equal(map[string][]byte{name: content}))
			Expect(*kept.Immutable).To(BeTrue())
			p := planOf(run)
			Expect(p.Files).To(Equal([]plan.File{{Name: name, ConfigMap: held.Name, Key: key, SHA256: digestOf(content), Bytes: len(content)}}))
			planned(&p.Workloads[0])
			jobs := &batchv1.JobList{}
			Expect(k8sClient.List(ctx, jobs, client.InNamespace(run.Namespace), client.MatchingLabels{"kvbench.io/run-uid": string(run.UID)})).To(Succeed())
			Expect(jobs.Items).To(HaveLen(2))
			for i := range jobs.Items {
				Expect(jobs.Items[i].Spec.Template.Spec.Volumes).To(ContainElement(
					HaveField("VolumeSource.ConfigMap", HaveValue(HaveField("LocalObjectReference.Name", kept.Name)))))
			}

			s.sim.holdJobs.remove("worker")
			s.reach(run, v1alpha1.ConditionComplete, "Finished")
			s.nothingLeft(run)
			Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(held), held)).To(Succeed(), "what isn't the run's stays")
		},
		Entry("a trace", "day.csv", []byte(shortTrace),
			func(spec *v1alpha1.BenchmarkRunSpec, file v1alpha1.FileSource) {
				spec.Workloads = []v1alpha1.WorkloadSpec{{Name: "a", Trace: &v1alpha1.TraceSpec{FileSource: file, Stretch: "2"}}}
				spec.Load.Workers = ptr.To[int32](2)
			},
			func(w *plan.Workload) {
				Expect(w.Operations).To(BeEquivalentTo(3), "after a warm-up of 1s")
				Expect(*w.Load.Trace).To(Equal(plan.Trace{File: w.Load.Trace.File, SHA256: digestOf([]byte(shortTrace)), Rows: 4, Stretch: 2, LastMillis: 5000}))
				Expect(w.Load.Arrivals).To(Equal(plan.ArrivalsTrace))
			}),
		Entry("a trace that is compressed", "day.csv.gz", packed(shortTrace),
			func(spec *v1alpha1.BenchmarkRunSpec, file v1alpha1.FileSource) {
				spec.Workloads = []v1alpha1.WorkloadSpec{{Name: "a", Trace: &v1alpha1.TraceSpec{FileSource: file}}}
			},
			func(w *plan.Workload) {
				Expect(w.Operations).To(BeEquivalentTo(3))
				Expect(w.Load.Trace.SHA256).To(Equal(digestOf(packed(shortTrace))))
			}),
		Entry("a schedule", "day.csv", []byte(schedule),
			func(spec *v1alpha1.BenchmarkRunSpec, file v1alpha1.FileSource) {
				spec.Load.RateShape = &v1alpha1.RateShape{Schedule: &file}
			},
			func(w *plan.Workload) {
				Expect(w.Load.Rate).To(BeEquivalentTo(100))
				Expect(w.Load.Shape.Segments).To(Equal([]plan.Segment{{From: 100, To: 100, Millis: 5000}, {From: 50, To: 50, Millis: 1}}))
				Expect(w.Load.Shape.File).To(HaveSuffix("_day.csv"))
			}),
		Entry("a histogram of field lengths", "hist.txt", []byte(lengths),
			func(spec *v1alpha1.BenchmarkRunSpec, file v1alpha1.FileSource) {
				spec.Workloads[0].FieldLengthHistogram = &file
			},
			func(w *plan.Workload) {
				Expect(w.Properties).To(HaveKeyWithValue("fieldlengthdistribution", "histogram"))
				Expect(w.Properties).To(HaveKeyWithValue("fieldlengthhistogram", HaveSuffix("_hist.txt")))
			}),
	)

	It("are those of the admission, whatever becomes of their ConfigMap", func(ctx context.Context) {
		hold()
		DeferCleanup(s.start(s.results, nil))
		held := given(ctx, map[string]string{"day.csv": shortTrace}, nil)
		run := s.newRun(replaying(held, "day.csv"))
		measuring(ctx, run)
		held.Data["day.csv"] = "broken"
		Expect(k8sClient.Update(ctx, held)).To(Succeed())
		Expect(k8sClient.Delete(ctx, held)).To(Succeed())
		kept := copyOf(run)
		Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(kept), kept)).To(Succeed())
		Expect(kept.BinaryData).To(Equal(map[string][]byte{held.Name + "_day.csv": []byte(shortTrace)}))
		s.sim.holdJobs.remove("worker")
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		s.nothingLeft(run)
	})

	It("are read once, at whatever write of its admission a controller is killed", func(ctx context.Context) {
		for at := 1; ; at++ {
			held := given(ctx, map[string]string{"day.csv": shortTrace}, nil)
			t := newTap(at, killing)
			stop := s.start(&tapped{s.results, t}, t.wrap)
			run := s.newRun(replaying(held, "day.csv"))
			Eventually(t.death, time.Minute).Should(BeClosed())
			stop()
			kept := copyOf(run)
			frozen := k8sClient.Get(ctx, client.ObjectKeyFromObject(kept), kept) == nil
			what, _ := t.broke()
			By(fmt.Sprintf("write %d: %s", at, what))
			// Another trace, and a good one.
			const other = shortTrace + "3,READ,d,\n"
			held.Data["day.csv"] = other
			Expect(k8sClient.Update(ctx, held)).To(Succeed())

			stop = s.start(s.results, nil)
			s.reach(run, v1alpha1.ConditionComplete, "Finished")
			stop()
			want := other
			if frozen {
				want = shortTrace
			}
			Expect(planOf(run).Files[0].SHA256).To(Equal(digestOf([]byte(want))), "after write %d, %s", at, what)
			Expect(planOf(run).Workloads[0].Load.Trace.SHA256).To(Equal(digestOf([]byte(want))))
			s.nothingLeft(run)
			if t.wrote("/leases") { // it is admitted; how many writes that takes may differ
				Expect(at).To(BeNumerically(">=", 5), "finalizer, files, register, plan, status")
				return
			}
		}
	})

	DescribeTable("are refused in a sentence, and nothing is left:",
		func(ctx context.Context, data map[string]string, change func(*v1alpha1.BenchmarkRunSpec, func(key string) v1alpha1.FileSource), reason string, says ...string) {
			DeferCleanup(s.start(s.results, nil))
			held := given(ctx, data, nil)
			run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
				change(spec, func(key string) v1alpha1.FileSource { return in(held, key) })
			})
			message := refusal(run, reason)
			for _, words := range says {
				Expect(message).To(ContainSubstring(strings.ReplaceAll(words, "MAP", held.Name)))
			}
			Expect(s.results.planOf(string(run.UID))).To(BeEmpty())
		},
		Entry("no such key", nil, func(spec *v1alpha1.BenchmarkRunSpec, in func(string) v1alpha1.FileSource) {
			spec.Workloads[0].FieldLengthHistogram = ptr.To(in("hist.txt"))
		}, "FileMissing", "spec.workloads[0].fieldLengthHistogram", `no key "hist.txt" in a ConfigMap "MAP"`),
		Entry("no such ConfigMap", nil, func(spec *v1alpha1.BenchmarkRunSpec, _ func(string) v1alpha1.FileSource) {
			spec.Load.RateShape = &v1alpha1.RateShape{Schedule: &v1alpha1.FileSource{ConfigMapKeyRef: v1alpha1.ConfigMapKeyRef{Name: "nowhere", Key: "k"}}}
		}, "FileMissing", "spec.load.rateShape.schedule", `in a ConfigMap "nowhere"`),
		Entry("a broken line", map[string]string{"day.csv": "0,READ,a,\n1,GET,hunter2,\n"}, func(spec *v1alpha1.BenchmarkRunSpec, in func(string) v1alpha1.FileSource) {
			spec.Workloads = []v1alpha1.WorkloadSpec{{Name: "a", Trace: &v1alpha1.TraceSpec{FileSource: in("day.csv")}}}
		}, "InvalidFile", "spec.workloads[0].trace: ConfigMap MAP, day.csv:2: no operation …: use READ"),
		Entry("more than a ConfigMap holds", map[string]string{"a": "0,READ,a,\n" + strings.Repeat("#\n", 300_000)}, func(spec *v1alpha1.BenchmarkRunSpec, in func(string) v1alpha1.FileSource) {
			other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, GenerateName: "files-"}, Data: map[string]string{"b": "0,READ,a,\n" + strings.Repeat("#\n", 300_000)}}
			Expect(k8sClient.Create(context.Background(), other)).To(Succeed())
			spec.Workloads = []v1alpha1.WorkloadSpec{
				{Name: "a", Trace: &v1alpha1.TraceSpec{FileSource: in("a")}},
				{Name: "b", Trace: &v1alpha1.TraceSpec{FileSource: v1alpha1.FileSource{ConfigMapKeyRef: v1alpha1.ConfigMapKeyRef{Name: other.Name, Key: "b"}}}},
			}
		}, "InvalidFile", "spec.workloads[1].trace", "1200020 bytes", "compress a trace"),
		Entry("more than a plan holds", map[string]string{"day.csv": longSchedule()}, func(spec *v1alpha1.BenchmarkRunSpec, in func(string) v1alpha1.FileSource) {
			spec.Workloads = nil
			for i := range 16 {
				spec.Workloads = append(spec.Workloads, v1alpha1.WorkloadSpec{Name: fmt.Sprintf("w%d", i), Preset: "A"})
			}
			spec.Load.RateShape = &v1alpha1.RateShape{Schedule: ptr.To(in("day.csv"))}
		}, "PlanTooLarge", "and can have 983040"),
	)

	It("are read with the rights of the run's service account alone", func(ctx context.Context) {
		newAccount(ctx, s.namespace, "bare")
		DeferCleanup(s.start(s.results, nil))
		held := given(ctx, map[string]string{"day.csv": shortTrace}, nil)
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			replaying(held, "day.csv")(spec)
			spec.ServiceAccountName = "bare"
		})
		Expect(refusal(run, "FileForbidden")).To(Equal(
			"spec.workloads[0].trace: service account bare may not read the ConfigMap " + held.Name + ": give it the right to get it"))
		missing := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			replaying(held, "day.csv")(spec)
			spec.ServiceAccountName = "nobody"
		})
		Expect(refusal(missing, "ServiceAccountMissing")).To(ContainSubstring("nobody"))
	})

	It("leave nothing when the run is refused after they were kept", func(ctx context.Context) {
		s.results.refuse("check", &results.Error{Status: http.StatusConflict})
		DeferCleanup(func() { s.results.refuse("check", nil) })
		held := given(ctx, map[string]string{"day.csv": shortTrace}, nil)
		run := s.newRun(replaying(held, "day.csv"))
		// The pass after the refusal's has the run from before it.
		late := newLateWatch("benchmarkruns")
		var refused sync.Once
		var kept atomic.Int32
		noticed := func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(request *http.Request) (*http.Response, error) {
				path := request.URL.Path
				switch {
				case request.Method == http.MethodPatch && strings.HasSuffix(path, run.Name+"/status"):
					refused.Do(late.hold)
				case request.Method == http.MethodPost && strings.HasSuffix(path, "/configmaps"):
					if kept.Add(1) > 1 {
						late.release()
					}
				case request.Method == http.MethodGet && kept.Load() > 0 && strings.HasSuffix(path, "/"+run.Name):
					late.release()
				}
				return late.RoundTrip(next, request)
			})
		}
		DeferCleanup(s.start(s.results, noticed))
		DeferCleanup(late.release)
		s.reach(run, v1alpha1.ConditionAccepted, "ResultsRefused")
		stir := copyOf(run) // another of the run's objects, whose event is one for the run
		stir.Name, stir.Labels = stir.Name+"-stir", map[string]string{"kvbench.io/run-uid": string(run.UID)}
		Expect(k8sClient.Create(ctx, stir)).To(Succeed())
		Eventually(late.released, time.Minute).Should(BeClosed(), "another pass looks whether the run is as it was read")
		Expect(k8sClient.Delete(ctx, stir)).To(Succeed())
		refusal(run, "ResultsRefused")
		s.remove(ctx, run) // after every other pass
		Expect(kept.Load()).To(BeEquivalentTo(1))
	})

	It("fail a run whose copy of them is deleted", func(ctx context.Context) {
		hold()
		DeferCleanup(s.start(s.results, nil))
		held := given(ctx, map[string]string{"day.csv": shortTrace}, nil)
		run := s.newRun(replaying(held, "day.csv"))
		measuring(ctx, run)
		Expect(k8sClient.Delete(ctx, copyOf(run))).To(Succeed())
		s.reach(run, v1alpha1.ConditionFailed, "FilesLost")
		s.nothingLeft(run)
	})

	It("are not taken from a ConfigMap that somebody else made", func(ctx context.Context) {
		held := given(ctx, map[string]string{"day.csv": shortTrace}, nil)
		run := s.newRun(replaying(held, "day.csv"))
		forged := copyOf(run)
		forged.BinaryData = map[string][]byte{held.Name + "_day.csv": []byte(shortTrace + "3,READ,d,\n")}
		Expect(k8sClient.Create(ctx, forged)).To(Succeed())
		DeferCleanup(s.start(s.results, nil))
		Expect(refusal(run, "NameTaken")).To(ContainSubstring(forged.Name))
		Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(forged), forged)).To(Succeed(), "it isn't removed")
		Expect(k8sClient.Delete(ctx, forged)).To(Succeed())
	})
})

// longSchedule is as long as one can be.
func longSchedule() string {
	var lines []string
	for second := range 1000 {
		lines = append(lines, fmt.Sprintf("%d,%.9f", second, 1e6*math.Pi+float64(second)))
	}
	return strings.Join(slices.Insert(lines, 0, "seconds,rate"), "\n")
}
