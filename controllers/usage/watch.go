package usage

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/observe"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/kubelet"
)

// usageEvery is how often kubelets are asked. They look at a pod every ten to fifteen seconds,
// and what a report has of the last ones must be here when it is made.
const usageEvery = 5 * time.Second

// Kubelets are asked what pods use.
type Kubelets interface {
	PodUsages(ctx context.Context, host string, port int32) ([]kubelet.PodUsage, error)
}

// Sink takes what they say into a run's bundle.
type Sink interface {
	Append(ctx context.Context, uid, name string, offset int64, data []byte) (length int64, err error)
}

// Watch has kubelets asked what the members of runs under way use, and keeps it in the runs'
// bundles. A run doesn't wait for it: what is missing is missing in the report.
type Watch struct {
	runs     *observe.Reader
	kubelets Kubelets
	sink     Sink

	failures prometheus.Counter
	told     told
	files    map[types.UID]*file  // of runs under way
	said     map[string]time.Time // of nodes, when it was last said that they don't answer
}

// NewWatch is to be started by the manager, and to be registered for its metrics.
func NewWatch(runs clients.Set, kubelets Kubelets, sink Sink) *Watch {
	return &Watch{
		runs: &observe.Reader{Set: runs}, kubelets: kubelets, sink: sink,
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "kvbench_kubelet_failures_total", Help: "Requests to kubelets for what members use that failed."}),
		files: map[types.UID]*file{}, said: map[string]time.Time{},
	}
}

// Describe implements prometheus.Collector.
func (u *Watch) Describe(to chan<- *prometheus.Desc) {
	u.failures.Describe(to)
	u.told.Describe(to)
}

// Collect implements prometheus.Collector.
func (u *Watch) Collect(to chan<- prometheus.Metric) {
	u.failures.Collect(to)
	u.told.Collect(to)
}

// Start asks until ctx ends. The manager calls it where this controller leads.
func (u *Watch) Start(ctx context.Context) error {
	ticks := time.NewTicker(usageEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
			u.look(ctx)
		}
	}
}

// look asks each node with members once.
func (u *Watch) look(ctx context.Context) {
	underWay, members, err := u.members(ctx)
	if err != nil {
		u.told.set(nil)
		log.FromContext(ctx).V(1).Info("not asking what members use", "cause", err.Error())
		return
	}
	maps.DeleteFunc(u.files, func(run types.UID, _ *file) bool { return !underWay[run] })
	answers := u.ask(ctx, members)
	var newest []memberUsage
	for _, m := range members {
		answer := answers[m.node]
		for i := range answer.pods {
			if answer.pods[i].UID == string(m.pod) {
				u.file(m.run).note(m, &answer.pods[i], answer.at)
				newest = append(newest, memberUsage{m, answer.pods[i]})
			}
		}
	}
	u.told.set(newest)
	var all sync.WaitGroup
	for run, file := range u.files {
		all.Go(func() {
			if err := file.ship(ctx, u.sink, string(run)); err != nil {
				log.FromContext(ctx).V(1).Info("what members use is kept for later", "run", run, "cause", err.Error())
			}
		})
	}
	all.Wait()
}

// runningMember is the pod of a member, and where it is.
type runningMember struct {
	run types.UID
	// namespace and runID say which run that is to people.
	namespace, runID string
	name             string
	pod              types.UID
	node             string
}

// members are those of all runs under way: whose store is ready and whose report isn't made.
func (u *Watch) members(ctx context.Context) (underWay map[types.UID]bool, found []runningMember, err error) {
	runs := &v1alpha1.BenchmarkRunList{}
	if err := u.runs.List(ctx, runs); err != nil {
		return nil, nil, err
	}
	underWay = map[types.UID]bool{}
	for i := range runs.Items {
		run := &runs.Items[i]
		if !usesSomething(run) {
			continue
		}
		underWay[run.UID] = true
		o := &state.Observed{Run: run}
		if err := u.runs.ReadPlan(ctx, o); err != nil || o.Plan == nil {
			continue // the run's own passes say so
		}
		pods := &corev1.PodList{}
		if err := u.runs.List(ctx, pods, client.InNamespace(run.Namespace),
			client.MatchingLabels{names.LabelUID: string(run.UID), names.LabelRole: names.RoleStore}); err != nil {
			return nil, nil, err
		}
		for _, member := range o.Plan.Store.Members {
			for j := range pods.Items {
				if pod := &pods.Items[j]; pod.Name == member.Name && pod.Spec.NodeName != "" {
					found = append(found, runningMember{
						run: run.UID, namespace: run.Namespace, runID: names.RunID(run), name: member.Name, pod: pod.UID, node: pod.Spec.NodeName,
					})
				}
			}
		}
	}
	return underWay, found, nil
}

func usesSomething(run *v1alpha1.BenchmarkRun) bool {
	return status.IsTrue(run, v1alpha1.ConditionStoreReady) && !status.IsTrue(run, v1alpha1.ConditionReported) && !status.Ended(run) && run.DeletionTimestamp.IsZero()
}

func (u *Watch) file(run types.UID) *file {
	if u.files[run] == nil {
		u.files[run] = &file{
			name: bundle.Writer{Role: bundle.RoleKubelet, PodUID: string(uuid.NewUUID())}.File(bundle.Jsonl),
			last: map[string]reading{},
		}
	}
	return u.files[run]
}
