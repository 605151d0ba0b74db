package controllers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/kubelet"
	results "github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/steady"
)

const (
	// usageEvery is how often kubelets are asked. They look at a pod every ten to fifteen seconds,
	// and what a report has of the last ones must be here when it is made.
	usageEvery = 5 * time.Second
	askTimeout = 10 * time.Second
	// sayAgain is how long nothing more is said of a node whose kubelet doesn't answer.
	sayAgain = 10 * time.Minute
	// maxPendingUsage bounds what is kept for a results server that is away: a quarter of an
	// hour of nine members.
	maxPendingUsage = 256 << 10
)

// Kubelets are asked what pods use.
type Kubelets interface {
	PodUsages(ctx context.Context, host string, port int32) ([]kubelet.PodUsage, error)
}

// UsageSink takes what they say into a run's bundle.
type UsageSink interface {
	Append(ctx context.Context, uid, name string, offset int64, data []byte) (length int64, err error)
}

// UsageWatch has kubelets asked what the members of runs under way use, and keeps it in the runs'
// bundles. A run doesn't wait for it: what is missing is missing in the report.
type UsageWatch struct {
	runs     *Reconciler
	kubelets Kubelets
	sink     UsageSink

	failures prometheus.Counter
	files    map[types.UID]*usageFile // of runs under way
	said     map[string]time.Time     // of nodes, when it was last said that they don't answer
}

// NewUsageWatch is to be started by the manager, and to be registered for its metric.
func NewUsageWatch(runs *Reconciler, kubelets Kubelets, sink UsageSink) *UsageWatch {
	return &UsageWatch{
		runs: runs, kubelets: kubelets, sink: sink,
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "kvbench_kubelet_failures_total", Help: "Requests to kubelets for what members use that failed."}),
		files: map[types.UID]*usageFile{}, said: map[string]time.Time{},
	}
}

// Describe implements prometheus.Collector.
func (u *UsageWatch) Describe(to chan<- *prometheus.Desc) { u.failures.Describe(to) }

// Collect implements prometheus.Collector.
func (u *UsageWatch) Collect(to chan<- prometheus.Metric) { u.failures.Collect(to) }

// Start asks until ctx ends. The manager calls it where this controller leads.
func (u *UsageWatch) Start(ctx context.Context) error {
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
func (u *UsageWatch) look(ctx context.Context) {
	underWay, members, err := u.members(ctx)
	if err != nil {
		log.FromContext(ctx).V(1).Info("not asking what members use", "cause", err.Error())
		return
	}
	maps.DeleteFunc(u.files, func(run types.UID, _ *usageFile) bool { return !underWay[run] })
	answers := u.ask(ctx, members)
	for _, m := range members {
		told := answers[m.node]
		for i := range told.pods {
			if told.pods[i].UID == string(m.pod) {
				u.file(m.run).note(m, &told.pods[i], told.at)
			}
		}
	}
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
	run  types.UID
	name string
	pod  types.UID
	node string
}

// members are those of all runs under way: whose store is ready and whose report isn't made.
func (u *UsageWatch) members(ctx context.Context) (underWay map[types.UID]bool, found []runningMember, err error) {
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
		o := &observed{Run: run}
		if err := u.runs.readPlan(ctx, o); err != nil || o.Plan == nil {
			continue // the run's own passes say so
		}
		pods := &corev1.PodList{}
		if err := u.runs.List(ctx, pods, client.InNamespace(run.Namespace),
			client.MatchingLabels{labelUID: string(run.UID), labelRole: roleStore}); err != nil {
			return nil, nil, err
		}
		for _, member := range o.Plan.Store.Members {
			for j := range pods.Items {
				if pod := &pods.Items[j]; pod.Name == member.Name && pod.Spec.NodeName != "" {
					found = append(found, runningMember{run.UID, member.Name, pod.UID, pod.Spec.NodeName})
				}
			}
		}
	}
	return underWay, found, nil
}

func usesSomething(run *v1alpha1.BenchmarkRun) bool {
	return isTrue(run, v1alpha1.ConditionStoreReady) && !isTrue(run, v1alpha1.ConditionReported) && !ended(run) && run.DeletionTimestamp.IsZero()
}

// answer is what a kubelet said, and when.
type answer struct {
	pods []kubelet.PodUsage
	at   time.Time // of the results server's clock
}

// ask is what the kubelets of the members' nodes say, by node. Each answer has its own moment: one
// node that is away must not date the others' late.
func (u *UsageWatch) ask(ctx context.Context, members []runningMember) map[string]answer {
	nodes := map[string]bool{}
	for _, m := range members {
		nodes[m.node] = true
	}
	maps.DeleteFunc(u.said, func(node string, _ time.Time) bool { return !nodes[node] })
	var (
		mu      sync.Mutex
		all     sync.WaitGroup
		answers = map[string]answer{}
	)
	for node := range nodes {
		all.Go(func() {
			pods, err := u.askNode(ctx, node)
			at, _, clockErr := u.runs.time.now(u.runs.Results)
			mu.Lock()
			defer mu.Unlock()
			u.say(ctx, node, err)
			if err == nil && clockErr == nil {
				answers[node] = answer{pods, at}
			}
		})
	}
	all.Wait()
	return answers
}

// askNode asks the kubelet where the node says that it is. The pod's own word for that, in its
// status, isn't taken: the token goes there.
func (u *UsageWatch) askNode(ctx context.Context, name string) ([]kubelet.PodUsage, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	node := &corev1.Node{}
	if err := u.runs.Direct.Get(ctx, types.NamespacedName{Name: name}, node); err != nil {
		return nil, err
	}
	port := node.Status.DaemonEndpoints.KubeletEndpoint.Port
	for _, address := range node.Status.Addresses {
		if address.Type == corev1.NodeInternalIP && port > 0 {
			return u.kubelets.PodUsages(ctx, address.Address, port)
		}
	}
	return nil, errors.New("the node has no internal address, or its kubelet no port")
}

// say tells of a kubelet that doesn't answer, now and then.
func (u *UsageWatch) say(ctx context.Context, node string, err error) {
	if err == nil {
		delete(u.said, node)
		return
	}
	u.failures.Inc()
	if now := steady.Now(); now.Sub(u.said[node]) > sayAgain {
		u.said[node] = now
		log.FromContext(ctx).Info("a node's kubelet doesn't tell what members use, so reports have less of it: see kubelet in the values of kvbench's chart", "node", node, "cause", err.Error())
	}
}

func (u *UsageWatch) file(run types.UID) *usageFile {
	if u.files[run] == nil {
		u.files[run] = &usageFile{
			name: bundle.Writer{Role: bundle.RoleKubelet, PodUID: string(uuid.NewUUID())}.File(bundle.Jsonl),
			last: map[string]reading{},
		}
	}
	return u.files[run]
}

// usageFile is one run's. Each process writes a file of its own.
type usageFile struct {
	name    string
	offset  int64  // of pending
	pending []byte // lines that the results server lacks
	last    map[string]reading
}

// reading is the last that was told of a member.
type reading struct {
	pod              string
	stamp, dataStamp time.Time // of the node's clock
	atNanos          int64
}

// note adds what is new since the last look.
func (f *usageFile) note(m runningMember, used *kubelet.PodUsage, now time.Time) {
	before := f.last[m.name]
	if before.pod != used.UID {
		before = reading{pod: used.UID}
	}
	line, is := bundle.UsageLine{Member: m.name, Pod: used.UID}, before
	// Ages are right to a second, and must not turn two looks round.
	at := now.Add(-used.Age).UnixNano()
	if used.CPUNanos != nil && !used.Stamp.Equal(before.stamp) && at > before.atNanos {
		is.stamp, is.atNanos = used.Stamp, at
		line.AtUnixNanos, line.CPUMicros = at, countOf(*used.CPUNanos/1000)
		if used.WorkingSetBytes != nil {
			line.WorkingSetBytes = countOf(*used.WorkingSetBytes)
		}
	}
	if used.Data != nil && !used.Data.Stamp.Equal(before.dataStamp) {
		is.dataStamp = used.Data.Stamp
		line.DataAtUnixNanos, line.DataBytes = now.Add(-used.Data.Age).UnixNano(), countOf(used.Data.Bytes)
	}
	if line.CPUMicros == nil && line.DataBytes == nil {
		return
	}
	text, err := json.Marshal(line)
	if err != nil || len(f.pending)+len(text) >= maxPendingUsage {
		return
	}
	f.last[m.name] = is
	f.pending = append(append(f.pending, text...), '\n')
}

// maxCount is far above what anything uses.
const maxCount = 1 << 60

// countOf is nil for a figure that is none.
func countOf(value uint64) *int64 {
	if value > maxCount {
		return nil
	}
	signed := int64(value)
	return &signed
}

// ship sends what the results server lacks. Its length says what arrived of an answer that was
// lost.
func (f *usageFile) ship(ctx context.Context, sink UsageSink, run string) error {
	if len(f.pending) == 0 {
		return nil
	}
	length, err := sink.Append(ctx, run, f.name, f.offset, f.pending)
	if err != nil && !errors.Is(err, results.ErrOffset) {
		return err
	}
	arrived := length - f.offset
	if arrived < 0 || arrived > int64(len(f.pending)) {
		return fmt.Errorf("the file %s has %d bytes, where %d to %d were sent", f.name, length, f.offset, f.offset+int64(len(f.pending)))
	}
	f.offset, f.pending = length, bytes.Clone(f.pending[arrived:])
	return nil
}
