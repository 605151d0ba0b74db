package integration

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers"
	"github.com/kvbench/kvbench/controllers/run"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/servertime"
	"github.com/kvbench/kvbench/controllers/suite"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/chartsource"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/stores"
)

// stage is what controllers run on: an API server with what an installation has, a
// simulator of pods, and a results server's ledger.
type stage struct {
	results   *ledger
	sim       *simulator
	namespace string
	// account is the controller's own; without one it is an administrator, and so is Helm.
	account *rest.Config
	// log takes what the controller logs.
	log io.Writer
	// pullSecrets of the workers' image, and ca of the results server.
	pullSecrets []corev1.LocalObjectReference
	ca          []byte
	// unwell names a member that the observer doesn't see well; "" for none.
	unwell atomic.Value
	// chartSources are the addresses that charts may come from.
	chartSources []string
}

// ownCharts renders where it is asked, and not in a process of its own.
type ownCharts struct{ *chartsource.Fetcher }

func (ownCharts) Render(_ context.Context, own helm.OwnChart) (helm.Rendered, error) {
	return helm.RenderOwn(own)
}

// runs numbers the runs of all stages, which share a namespace.
var runs int

// newStage is for a container's BeforeAll; it ends with the container.
func newStage() *stage {
	GinkgoHelper()
	ctrl.SetLogger(zap.New(zap.WriteTo(GinkgoWriter), zap.UseDevMode(true)))
	c, err := client.New(restConfig, client.Options{Scheme: controllers.Scheme()})
	Expect(err).NotTo(HaveOccurred())
	installChaosMesh()
	s := &stage{results: newLedger(), namespace: "bench", log: GinkgoWriter}
	seen, err := cache.New(restConfig, cache.Options{Scheme: controllers.Scheme()})
	Expect(err).NotTo(HaveOccurred())
	s.sim = &simulator{Client: c, seen: seen, injected: map[string]map[types.UID]client.Object{}, made: map[string]map[string]map[string]bool{}, started: s.results.started}
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	DeferCleanup(func() {
		cancel()
		ended.Wait()
		// What was deleted last still has its pods.
		s.sim.collectGarbage(context.Background(), c)
	})
	for _, object := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}},
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "kvbench-deployer"}},
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "local", Annotations: map[string]string{
			"storageclass.kubernetes.io/is-default-class": "true"}}, Provisioner: "none"},
	} {
		Expect(client.IgnoreAlreadyExists(c.Create(ctx, object))).To(Succeed())
	}
	ended.Go(func() {
		defer GinkgoRecover()
		Expect(seen.Start(ctx)).To(Succeed())
	})
	ended.Go(func() { s.sim.run(ctx) })
	return s
}

func installChaosMesh() {
	GinkgoHelper()
	_, err := envtest.InstallCRDs(restConfig, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{chaosDefinition("PodChaos"), chaosDefinition("NetworkChaos"), chaosDefinition("PodNetworkChaos")}})
	Expect(err).NotTo(HaveOccurred())
}

// newRun creates a run that works, with a change.
func (s *stage) newRun(change func(*v1alpha1.BenchmarkRunSpec)) *v1alpha1.BenchmarkRun {
	GinkgoHelper()
	runs++
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: fmt.Sprintf("run-%d-%03d", GinkgoRandomSeed(), runs)}}
	run.Spec.Store = v1alpha1.StoreSpec{Name: "etcd", Nodes: 3}
	run.Spec.Workloads = []v1alpha1.WorkloadSpec{{Name: "a", Preset: "A", Duration: ptr.To(v1alpha1.Duration("11s"))}}
	run.Spec.Load.Warmup = ptr.To(v1alpha1.Duration("1s"))
	if change != nil {
		change(&run.Spec)
	}
	Expect(k8sClient.Create(context.Background(), run)).To(Succeed())
	return run
}

// remove deletes a run, and waits until it is gone.
func (s *stage) remove(ctx context.Context, run *v1alpha1.BenchmarkRun) {
	GinkgoHelper()
	Expect(k8sClient.Delete(ctx, run)).To(Succeed())
	Eventually(func() error { return k8sClient.Get(ctx, client.ObjectKeyFromObject(run), run) }, time.Minute).
		Should(MatchError(ContainSubstring("not found")))
}

// reach waits until a condition of the run has a reason.
func (s *stage) reach(run *v1alpha1.BenchmarkRun, kind, reason string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
		condition := meta.FindStatusCondition(run.Status.Conditions, kind)
		g.Expect(condition).NotTo(BeNil(), "phase %s, conditions %v", run.Status.Phase, run.Status.Conditions)
		g.Expect(condition.Reason).To(Equal(reason), condition.Message)
	}, time.Minute, 50*time.Millisecond).Should(Succeed())
}

// nothingLeft looks for what a run makes; the run itself may be there.
func (s *stage) nothingLeft(run *v1alpha1.BenchmarkRun) {
	GinkgoHelper()
	mine := []client.ListOption{client.InNamespace(run.Namespace), client.MatchingLabels{"kvbench.io/run-uid": string(run.UID)}}
	for _, list := range []client.ObjectList{&corev1.PodList{}, &corev1.ConfigMapList{}, &corev1.SecretList{}, &corev1.ServiceList{}, &corev1.PersistentVolumeClaimList{}, &chaos.PodChaosList{}, &chaos.NetworkChaosList{}} {
		Expect(s.sim.List(context.Background(), list, mine...)).To(Succeed())
		Expect(meta.LenList(list)).To(BeZero(), "%T", list)
	}
	secrets := &corev1.SecretList{}
	Expect(s.sim.List(context.Background(), secrets, client.InNamespace(run.Namespace),
		client.MatchingLabels{"owner": "helm", "name": compile.RunID(run.Name, string(run.UID))})).To(Succeed())
	Expect(secrets.Items).To(BeEmpty(), "release Secrets")
}

// start runs a controller until the returned function ends it, as a kill would: nothing is
// flushed or released. wrap stands between it and the API server; nil for nothing.
func (s *stage) start(results clients.Results, wrap func(http.RoundTripper) http.RoundTripper, change ...func(*ctrl.Options)) (stop func()) {
	GinkgoHelper()
	own, helmAs := rest.CopyConfig(restConfig), func(config *rest.Config, _, _ string) *rest.Config { return config }
	if s.account != nil {
		own, helmAs = rest.CopyConfig(s.account), helm.As
	}
	if wrap != nil {
		own.Wrap(wrap)
	}
	options := ctrl.Options{
		Scheme: controllers.Scheme(), Cache: controllers.CacheOptions(systemNamespace),
		Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Controller: config.Controller{SkipNameValidation: ptr.To(true)},
		Logger:     zap.New(zap.WriteTo(s.log), zap.UseDevMode(true)),
	}
	for _, c := range change {
		c(&options)
	}
	manager, err := ctrl.NewManager(own, options)
	Expect(err).NotTo(HaveOccurred())
	allowed, err := chartsource.ParseAllowed(s.chartSources)
	Expect(err).NotTo(HaveOccurred())
	reconciler := &run.Reconciler{Set: clients.Set{
		Charts: ownCharts{chartsource.New(allowed, http.DefaultTransport)},
		Client: manager.GetClient(), Direct: manager.GetAPIReader(), Results: results,
		Releases: func(namespace, account string) (clients.Releaser, client.Client, error) {
			config := helmAs(own, namespace, account)
			asAccount, err := client.New(config, client.Options{Scheme: controllers.Scheme(), Mapper: manager.GetRESTMapper()})
			return helm.New(config, namespace), asAccount, err
		},
		Sample: func(context.Context, string) (*bundle.TopologyLine, error) {
			line := &bundle.TopologyLine{Leader: "nobody", Term: 7, Members: []stores.MemberState{}, Steady: !s.sim.keepUnready.has("observer")}
			if unwell, _ := s.unwell.Load().(string); unwell != "" {
				line.Steady, line.Members = false, []stores.MemberState{{Name: unwell, Error: "Unavailable"}}
			}
			return line, nil
		},
		Recorder: manager.GetEventRecorder("kvbench"),
		Clock:    &servertime.Clock{},
		Config: clients.Config{
			Namespace: systemNamespace, LoadgenImage: "loadgen", PullSecrets: s.pullSecrets, ResultsURL: "https://results", ResultsCA: s.ca,
		},
	}}
	Expect(reconciler.SetupWithManager(manager)).To(Succeed())
	suites := &suite.Reconciler{Client: manager.GetClient(), Recorder: manager.GetEventRecorder("kvbench"), Results: s.results, ResultsURL: "https://results", AccountOf: reconciler.AccountOf}
	Expect(suites.SetupWithManager(manager)).To(Succeed())
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer GinkgoRecover()
		defer close(done)
		Expect(manager.Start(ctx)).To(Succeed())
	}()
	return func() { cancel(); <-done }
}

// chaosDefinition is Chaos Mesh's of a kind, without its schema.
func chaosDefinition(kind string) *apiextensionsv1.CustomResourceDefinition {
	resource := strings.ToLower(kind)
	open := &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: ptr.To(true)}
	definition := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: resource + ".chaos-mesh.org"}}
	definition.Spec = apiextensionsv1.CustomResourceDefinitionSpec{
		Group: "chaos-mesh.org", Scope: apiextensionsv1.NamespaceScoped,
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: resource, Singular: resource, Kind: kind, ListKind: kind + "List"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
			Name: "v1alpha1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: open},
		}},
	}
	if kind == "PodNetworkChaos" { // of this kind alone the generation counts changes of the spec
		definition.Spec.Versions[0].Subresources = &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
	}
	return definition
}
