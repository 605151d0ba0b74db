package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/stores"
)

// ledger is a results server that remembers what it was asked: starts are created once.
type ledger struct {
	mu      sync.Mutex
	plans   map[string][]byte
	starts  map[string]bundle.Start
	posts   map[string]int
	faults  map[string][]byte
	reports int
}

func newLedger() *ledger {
	return &ledger{plans: map[string][]byte{}, starts: map[string]bundle.Start{}, posts: map[string]int{}, faults: map[string][]byte{}}
}

func (l *ledger) EstimateClock(context.Context, int) (bundle.Clock, error) {
	return bundle.Clock{}, nil
}

func (l *ledger) Register(_ context.Context, uid string, planJSON []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if held, ok := l.plans[uid]; ok && string(held) != string(planJSON) {
		return errors.New("another plan is registered")
	}
	l.plans[uid] = planJSON
	return nil
}

func (l *ledger) StartIn(_ context.Context, uid, workload string, _ time.Duration) (bundle.Start, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.posts[uid]++
	if _, ok := l.starts[uid]; !ok {
		l.starts[uid] = bundle.Start{StartUnixNanos: time.Now().UnixNano()}
	}
	return l.starts[uid], nil
}

func (l *ledger) started(uid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	start, ok := l.starts[uid]
	return ok && time.Since(time.Unix(0, start.StartUnixNanos)) > 2500*time.Millisecond
}

func (l *ledger) PutFaults(_ context.Context, uid string, lines []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if held, ok := l.faults[uid]; ok && string(held) != string(lines) {
		return errors.New("the faults changed between two passes")
	}
	l.faults[uid] = lines
	return nil
}

func (l *ledger) MakeReport(context.Context, string) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reports++
	return json.Marshal(&report.Report{Format: report.Format, Valid: true, Workloads: []report.Workload{{Name: "a", Throughput: 990.4, Succeeded: 1980}}})
}

func (l *ledger) faultLine(uid string) bundle.FaultLine {
	l.mu.Lock()
	defer l.mu.Unlock()
	var line bundle.FaultLine
	Expect(json.Unmarshal(l.faults[uid], &line)).To(Succeed())
	return line
}

// startController runs a controller until the returned function ends it, as a kill would:
// nothing is flushed or released.
func startController(results controllers.Results) (stop func()) {
	manager, err := ctrl.NewManager(restConfig, ctrl.Options{
		Scheme: controllers.Scheme(), Cache: controllers.CacheOptions("kvbench-system"),
		Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Controller: config.Controller{SkipNameValidation: ptr.To(true)},
	})
	Expect(err).NotTo(HaveOccurred())
	reconciler := &controllers.Reconciler{
		Client: manager.GetClient(), Direct: manager.GetAPIReader(), Results: results,
		Releases: func(namespace, _ string) (controllers.Releaser, client.Client, error) {
			return helm.New(restConfig, namespace), k8sClient, nil
		},
		Sample: func(context.Context, string) (*bundle.TopologyLine, error) {
			return &bundle.TopologyLine{Leader: "nobody", Term: 7, Members: []stores.MemberState{}}, nil
		},
		Recorder: manager.GetEventRecorder("kvbench"),
		Config:   controllers.Config{Namespace: "kvbench-system", LoadgenImage: "loadgen", ResultsURL: "https://results"},
	}
	Expect(reconciler.SetupWithManager(manager)).To(Succeed())
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer GinkgoRecover()
		defer close(done)
		Expect(manager.Start(ctx)).To(Succeed())
	}()
	return func() { cancel(); <-done }
}

var _ = Describe("the controller", Ordered, func() {
	var (
		results   *ledger
		sim       *simulator
		namespace string
		runs      int
	)

	BeforeAll(func() {
		ctrl.SetLogger(zap.New(zap.WriteTo(GinkgoWriter), zap.UseDevMode(true)))
		full := controllers.Scheme()
		c, err := client.New(restConfig, client.Options{Scheme: full})
		Expect(err).NotTo(HaveOccurred())
		_, err = envtest.InstallCRDs(restConfig, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{podChaosDefinition()}})
		Expect(err).NotTo(HaveOccurred())
		results = newLedger()
		sim = &simulator{Client: c, failJobs: map[string]bool{}, holdJobs: map[string]bool{}, started: results.started}
		ctx, cancel := context.WithCancel(context.Background())
		DeferCleanup(cancel)
		for _, name := range []string{"kvbench-system", "bench"} {
			Expect(client.IgnoreAlreadyExists(c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}))).To(Succeed())
		}
		namespace = "bench"
		Expect(c.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "kvbench-deployer"}})).To(Succeed())
		Expect(c.Create(ctx, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "local", Annotations: map[string]string{
			"storageclass.kubernetes.io/is-default-class": "true"}}, Provisioner: "none"})).To(Succeed())
		go sim.run(ctx)
	})

	newRun := func(change func(*v1alpha1.BenchmarkRunSpec)) *v1alpha1.BenchmarkRun {
		runs++
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("run-%02d", runs)}}
		run.Spec.Store = v1alpha1.StoreSpec{Name: "etcd", Nodes: 3}
		run.Spec.Workloads = []v1alpha1.WorkloadSpec{{Name: "a", Preset: "A", Duration: ptr.To(v1alpha1.Duration("11s"))}}
		run.Spec.Load.Warmup = ptr.To(v1alpha1.Duration("1s"))
		if change != nil {
			change(&run.Spec)
		}
		Expect(k8sClient.Create(context.Background(), run)).To(Succeed())
		return run
	}

	reach := func(run *v1alpha1.BenchmarkRun, kind, reason string) {
		GinkgoHelper()
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
			condition := meta.FindStatusCondition(run.Status.Conditions, kind)
			g.Expect(condition).NotTo(BeNil(), "phase %s, conditions %v", run.Status.Phase, run.Status.Conditions)
			g.Expect(condition.Reason).To(Equal(reason), condition.Message)
		}, time.Minute, 50*time.Millisecond).Should(Succeed())
	}

	nothingLeft := func(run *v1alpha1.BenchmarkRun) {
		GinkgoHelper()
		mine := []client.ListOption{client.InNamespace(namespace), client.MatchingLabels{"kvbench.io/run-uid": string(run.UID)}}
		for _, list := range []client.ObjectList{&corev1.PodList{}, &corev1.ConfigMapList{}, &corev1.ServiceList{}, &corev1.PersistentVolumeClaimList{}, &chaos.PodChaosList{}} {
			Expect(sim.List(context.Background(), list, mine...)).To(Succeed())
			Expect(meta.LenList(list)).To(BeZero(), "%T", list)
		}
		secrets := &corev1.SecretList{}
		Expect(sim.List(context.Background(), secrets, client.InNamespace(namespace))).To(Succeed())
		Expect(secrets.Items).To(BeEmpty(), "release Secrets")
	}

	It("brings a run to its report and leaves nothing", func() {
		DeferCleanup(startController(results))
		run := newRun(nil)
		reach(run, v1alpha1.ConditionComplete, "Finished")
		Expect(meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionReady)).To(BeTrue())
		Expect(run.Status.Summary.Throughput).To(BeEquivalentTo(990))
		Expect(results.posts[string(run.UID)]).To(Equal(1))
		nothingLeft(run)
	})

	It("injects a fault at its time and heals it", func() {
		DeferCleanup(startController(results))
		run := newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill", At: "500ms", Target: &v1alpha1.FaultTarget{Member: ptr.To[int32](1)}}}
		})
		reach(run, v1alpha1.ConditionComplete, "Finished")
		line := results.faultLine(string(run.UID))
		Expect(line.Target).To(HaveSuffix("-1"))
		Expect(line.TermBefore).To(BeEquivalentTo(7))
		Expect(line.InjectedAfterUnixNanos).To(BeNumerically(">=", line.RequestedUnixNanos))
		Expect(line.InjectedBeforeUnixNanos).To(BeNumerically(">=", line.InjectedAfterUnixNanos))
		Expect(line.Late).To(BeFalse())
		nothingLeft(run)
	})

	It("fails a run whose worker is lost, reports what there is, and cleans up", func() {
		sim.failJobs["worker"] = true
		DeferCleanup(func() { delete(sim.failJobs, "worker") })
		DeferCleanup(startController(results))
		run := newRun(nil)
		reach(run, v1alpha1.ConditionFailed, "MeasurementLost")
		Expect(meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionStalled)).To(BeTrue())
		nothingLeft(run)
	})

	It("refuses what the catalog doesn't know, with nothing left", func() {
		DeferCleanup(startController(results))
		run := newRun(func(spec *v1alpha1.BenchmarkRunSpec) { spec.Store.Name = "etdc" })
		reach(run, v1alpha1.ConditionAccepted, "UnknownStore")
		Expect(meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted).Message).To(ContainSubstring("etcd"))
		nothingLeft(run)
	})

	It("refuses a fault where Chaos Mesh isn't installed", func() {
		definition := podChaosDefinition()
		Expect(sim.Delete(context.Background(), definition)).To(Succeed())
		DeferCleanup(func() {
			_, err := envtest.InstallCRDs(restConfig, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{podChaosDefinition()}})
			Expect(err).NotTo(HaveOccurred())
		})
		Eventually(func() error {
			return sim.Get(context.Background(), client.ObjectKeyFromObject(definition), definition)
		}, time.Minute).Should(MatchError(ContainSubstring("not found")))
		DeferCleanup(startController(results))
		run := newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill", At: "500ms"}}
		})
		reach(run, v1alpha1.ConditionAccepted, "ChaosMeshMissing")
		reach(run, v1alpha1.ConditionFailed, "ChaosMeshMissing")
		Expect(meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted).Message).To(ContainSubstring("install its Helm chart"))
		reach(newRun(nil), v1alpha1.ConditionComplete, "Finished") // without faults there is no need for it
	})

	It("goes on after being killed again and again", func() {
		run := newRun(nil)
		Eventually(func() bool {
			stop := startController(results)
			ended := false
			for range 8 { // a life of 400 ms
				time.Sleep(50 * time.Millisecond)
				Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
				ended = ended || meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete)
			}
			stop()
			return ended
		}, 2*time.Minute).Should(BeTrue())
		nothingLeft(run)
	})

	It("removes everything when a run is deleted while it measures", func() {
		sim.holdJobs["worker"] = true
		DeferCleanup(func() { delete(sim.holdJobs, "worker") })
		DeferCleanup(startController(results))
		run := newRun(nil)
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
			g.Expect(run.Status.Phase).To(Equal("Measuring"))
		}, time.Minute).Should(Succeed())
		Expect(k8sClient.Delete(context.Background(), run)).To(Succeed())
		Eventually(func() error {
			return k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)
		}, time.Minute).Should(MatchError(ContainSubstring("not found")))
		nothingLeft(run)
	})

	It("runs one at a time, in order", func() {
		DeferCleanup(startController(results))
		first, second := newRun(nil), newRun(nil)
		reach(second, v1alpha1.ConditionAccepted, "Queued")
		reach(first, v1alpha1.ConditionComplete, "Finished")
		reach(second, v1alpha1.ConditionComplete, "Finished")
		Expect(second.Status.StartTime.Time).To(BeTemporally(">=", first.Status.CompletionTime.Time))
	})
})

// podChaosDefinition is Chaos Mesh's, without its schema.
func podChaosDefinition() *apiextensionsv1.CustomResourceDefinition {
	open := &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: ptr.To(true)}
	definition := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "podchaos.chaos-mesh.org"}}
	definition.Spec = apiextensionsv1.CustomResourceDefinitionSpec{
		Group: "chaos-mesh.org", Scope: apiextensionsv1.NamespaceScoped,
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "podchaos", Singular: "podchaos", Kind: "PodChaos", ListKind: "PodChaosList"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
			Name: "v1alpha1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: open},
		}},
	}
	return definition
}
