package integration

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	runtimecontroller "sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
	controller "github.com/kvbench/kvbench/controllers/suite"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite"
)

// A suite of so many runs, all but the last block of which have ended; and so many passes of it.
const (
	benchedRuns   = 1000
	benchedPasses = 400
)

// takesAll is a results server that takes what it is told.
type takesAll struct{ controller.Results }

func (takesAll) Check(context.Context, string, []byte) error              { return nil }
func (takesAll) CheckSuite(context.Context, string, wire.SuiteNeed) error { return nil }
func (takesAll) PutSuite(context.Context, string, []byte) error           { return nil }

// timed notes how long the passes take.
type timed struct {
	*controller.Reconciler
	mu   sync.Mutex
	took []time.Duration
}

func (t *timed) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	begun := time.Now()
	result, err := t.Reconciler.Reconcile(ctx, request)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.took = append(t.took, time.Since(begun))
	return result, err
}

func (t *timed) passes() []time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.took)
}

// BenchmarkSuiteOfAThousandRuns is of a controller on an API server alone: no kubelet and no store is beside them. Each pass is asked
// for by a change of the suite.
func BenchmarkSuiteOfAThousandRuns(b *testing.B) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		b.Fatal("KUBEBUILDER_ASSETS names the folder of kube-apiserver and etcd: $(localcluster envtest-assets)")
	}
	ctrl.SetLogger(logr.Discard())
	succeeds(b, clientgoscheme.AddToScheme(scheme))
	succeeds(b, v1alpha1.AddToScheme(scheme))
	environment := &envtest.Environment{Scheme: scheme, CRDDirectoryPaths: []string{fromRoot("config", "crd")}, ErrorIfCRDPathMissing: true, ControlPlaneStopTimeout: time.Minute}
	config, err := environment.Start()
	b.Cleanup(func() { succeeds(b, environment.Stop()) })
	succeeds(b, err)
	config.QPS = -1 // the runs are made by this program
	api, err := client.New(config, client.Options{Scheme: scheme})
	succeeds(b, err)
	succeeds(b, api.Create(b.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "bench"}}))

	of := benchedSuite(b, api)
	manager, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme, Metrics: server.Options{BindAddress: "0"}})
	succeeds(b, err)
	reconciler := &timed{Reconciler: &controller.Reconciler{Client: manager.GetClient(), Recorder: manager.GetEventRecorder("kvbench"), Results: takesAll{}, ResultsURL: "https://results"}}
	succeeds(b, ctrl.NewControllerManagedBy(manager).For(&v1alpha1.BenchmarkSuite{}).Owns(&v1alpha1.BenchmarkRun{}).
		WithOptions(runtimecontroller.Options{SkipNameValidation: ptr.To(true)}). // one after the other in this process
		Complete(reconciler))
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	b.Cleanup(func() { stop(); succeeds(b, <-ended) })
	until(b, "the suite knows its runs", func() bool {
		succeeds(b, api.Get(b.Context(), client.ObjectKeyFromObject(of), of))
		return of.Status.Runs != nil && of.Status.Runs.Done == benchedRuns && of.Status.Phase == "Suspended"
	})

	b.ResetTimer()
	for i := range b.N {
		before := len(reconciler.passes())
		for k := range benchedPasses {
			changed := of.DeepCopy()
			metav1.SetMetaDataAnnotation(&changed.ObjectMeta, "bench", fmt.Sprint(i, " ", k))
			seen := len(reconciler.passes())
			succeeds(b, api.Patch(b.Context(), changed, client.MergeFrom(of)))
			until(b, "a pass", func() bool { return len(reconciler.passes()) > seen })
		}
		took := reconciler.passes()[before:]
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
		b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "ms-max")
	}
	b.ReportMetric(0, "ns/op")
}

// benchedSuite makes a suite that is suspended, and its runs.
func benchedSuite(b *testing.B, api client.Client) *v1alpha1.BenchmarkSuite {
	b.Helper()
	of := &v1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Namespace: "bench", Name: "thousand"}}
	succeeds(b, yaml.UnmarshalStrict([]byte(`
template: {spec: {store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A, duration: 5m}]}}
axes: [{name: rate, path: /load/rate, values: [100, 200, 300, 400, 500, 600, 700, 800]}]
trials: {count: 126}
maxRuns: 1008
suspend: true
seed: 7
`), &of.Spec))
	succeeds(b, api.Create(b.Context(), of))
	combinations, problems := suite.Expand(&of.Spec)
	if len(problems) > 0 {
		b.Fatal(problems.String())
	}
	stores, err := suite.Stores(&of.Spec, combinations, nil)
	succeeds(b, err)
	turns := suite.Turns(suite.Seed(of), stores, suite.Blocks(of))[:benchedRuns]
	for i := range turns {
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{
			Namespace: of.Namespace, Name: suite.RunName(of.Name, &turns[i], 0),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(of, v1alpha1.GroupVersion.WithKind("BenchmarkSuite"))},
		}, Spec: *suite.SpecOf(combinations, &turns[i], suite.Seed(of))}
		succeeds(b, api.Create(b.Context(), run))
		run.Status.StartTime, run.Status.CompletionTime = ptr.To(metav1.Now()), ptr.To(metav1.Now())
		for _, kind := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionComplete, v1alpha1.ConditionReported, v1alpha1.ConditionValid} {
			meta.SetStatusCondition(&run.Status.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Reason: "Simulated"})
		}
		succeeds(b, api.Status().Update(b.Context(), run))
	}
	return of
}

func succeeds(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// until waits for what is looked at each millisecond, a minute at most.
func until(b *testing.B, what string, is func() bool) {
	b.Helper()
	for begun := time.Now(); !is(); time.Sleep(time.Millisecond) {
		if time.Since(begun) > time.Minute {
			b.Fatalf("%s: it is not so after a minute", what)
		}
	}
}
