package usage

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/controllers/servertime"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/kubelet"
	"github.com/kvbench/kvbench/internal/monotonic"
	"github.com/kvbench/kvbench/internal/plan"
	results "github.com/kvbench/kvbench/internal/results/client"
)

// kubelets say of each pod that they are asked for what a test wants.
type kubelets struct {
	asked []string
	pods  []kubelet.PodUsage
	err   error
}

func (k *kubelets) PodUsages(_ context.Context, host string, port int32) ([]kubelet.PodUsage, error) {
	k.asked = append(k.asked, host)
	if port != 10250 {
		return nil, errors.New("another port")
	}
	return k.pods, k.err
}

// sink keeps what is appended, as the results server does; while it is away it takes a part.
type sink struct {
	files map[string]string
	away  bool
}

func (s *sink) Append(_ context.Context, uid, name string, offset int64, data []byte) (int64, error) {
	key := uid + "/" + name
	if held := int64(len(s.files[key])); offset != held {
		return held, results.ErrOffset
	}
	if s.away {
		s.files[key] += string(data[:len(data)/2])
		return 0, errors.New("away")
	}
	s.files[key] += string(data)
	return int64(len(s.files[key])), nil
}

// lines of the only file.
func (s *sink) lines(t *testing.T) []bundle.UsageLine {
	t.Helper()
	var found []bundle.UsageLine
	if len(s.files) != 1 {
		t.Fatalf("%d files", len(s.files))
	}
	for name, text := range s.files {
		if _, _, ok := bundle.ParseFile(name[strings.Index(name, "/")+1:]); !ok {
			t.Errorf("the server takes no file %s", name)
		}
		for line := range strings.Lines(text) {
			var one bundle.UsageLine
			statetest.Must(t, json.Unmarshal([]byte(line), &one))
			found = append(found, one)
		}
	}
	return found
}

// used is a look of the kubelet's at so many nanoseconds of its clock.
func used(uid string, cpuNanos, bytes uint64, age time.Duration) kubelet.PodUsage {
	return kubelet.PodUsage{UID: uid, CPUNanos: &cpuNanos, WorkingSetBytes: &bytes, Age: age, Stamp: time.Unix(0, int64(cpuNanos))}
}

func member(run *v1alpha1.BenchmarkRun, name, uid, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: run.Namespace, Name: name, UID: types.UID(uid), Labels: names.RunLabels(run, names.RoleStore)},
		Spec:       corev1.PodSpec{NodeName: node},
		// Whoever may write a pod's status must not have the token sent there.
		Status: corev1.PodStatus{HostIP: "203.0.113.1", PodIP: "203.0.113.2"},
	}
}

// watching is a watch on one run, whose members m-0 and m-1 are on the node n.
func watching(t *testing.T, k Kubelets, s *sink, change func(*v1alpha1.BenchmarkRun)) *Watch {
	t.Helper()
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "run", UID: "run-uid"}}
	status.SetCondition(run, v1alpha1.ConditionStoreReady, metav1.ConditionTrue, "Ready", "")
	if change != nil {
		change(run)
	}
	p := plan.Plan{Format: plan.Format, Run: plan.Run{UID: "run-uid"}, Store: plan.Store{Members: []plan.Member{{Name: "m-0"}, {Name: "m-1"}}}}
	text, err := json.Marshal(p)
	statetest.Must(t, err)
	held := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: names.PlanName(names.RunID(run)), Labels: names.RunLabels(run, names.RolePlan), OwnerReferences: names.OwnedBy(run)},
		Data:       map[string]string{plan.FileName: string(text)},
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Status: corev1.NodeStatus{
		Addresses:       []corev1.NodeAddress{{Type: corev1.NodeExternalIP, Address: "203.0.113.3"}, {Type: corev1.NodeInternalIP, Address: "10.0.0.1"}},
		DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: 10250}},
	}}
	c := fake.NewClientBuilder().WithScheme(controllers.Scheme()).WithStatusSubresource(run).WithObjects(
		run, held, node, member(run, "m-0", "u0", "n"), member(run, "m-1", "u1", "n"), member(run, "other", "u2", "elsewhere")).Build()
	clock := &servertime.Clock{}
	statetest.Must(t, clock.Ask(t.Context(), &statetest.Clocks{Offset: statetest.Epoch.Sub(monotonic.Now())}))
	return NewWatch(clients.Set{Client: c, Direct: client.Reader(c), Clock: clock}, k, s)
}

func TestWhatMembersUseIsKeptOnce(t *testing.T) {
	k := &kubelets{pods: []kubelet.PodUsage{used("u0", 7000, 8, 3*time.Second), used("u1", 9000, 10, 0), used("u2", 1, 1, 0)}}
	s := &sink{files: map[string]string{}}
	u := watching(t, k, s, nil)
	u.look(t.Context())
	u.look(t.Context())
	k.pods[0] = used("u0", 8000, 8, 0)
	u.look(t.Context())
	got := s.lines(t)
	if len(got) != 3 || len(k.asked) != 3 || k.asked[0] != "10.0.0.1" {
		t.Fatalf("%d lines, and %v were asked", len(got), k.asked)
	}
	first := got[0]
	if first.Member != "m-0" || first.Pod != "u0" || *first.CPUMicros != 7 || *first.WorkingSetBytes != 8 || first.DataBytes != nil {
		t.Errorf("%+v", first)
	}
	if at := time.Unix(0, first.AtUnixNanos).Sub(statetest.Epoch); at < -3*time.Second || at > -2*time.Second {
		t.Errorf("it was so at %s, and that was three seconds before", at)
	}
	if got[1].Member != "m-1" || got[2].Member != "m-0" || *got[2].CPUMicros != 8 {
		t.Errorf("%+v", got[1:])
	}
}

func TestLooksAreNotTurnedRound(t *testing.T) {
	f := &file{last: map[string]reading{}}
	for _, one := range []kubelet.PodUsage{used("u0", 5000, 1, time.Second), used("u0", 6000, 1, 4*time.Second), used("u0", 7000, 1, 0), used("u1", 1000, 1, 0)} {
		f.note(runningMember{name: "m-0"}, &one, statetest.Epoch)
	}
	absurd := used("u1", 2000, 1<<63, 0)
	f.note(runningMember{name: "m-0"}, &absurd, statetest.Epoch.Add(time.Second))
	var told []int64
	for line := range strings.Lines(string(f.pending)) {
		var one bundle.UsageLine
		statetest.Must(t, json.Unmarshal([]byte(line), &one))
		if told = append(told, *one.CPUMicros); *one.CPUMicros == 2 && one.WorkingSetBytes != nil {
			t.Errorf("%d bytes", *one.WorkingSetBytes)
		}
	}
	if !slices.Equal(told, []int64{5, 7, 1, 2}) {
		t.Errorf("%v", told)
	}
}

// slowly is kubelets of which one is away for a while.
type slowly struct {
	kubelets
	mu sync.Mutex
}

func (k *slowly) PodUsages(ctx context.Context, host string, port int32) ([]kubelet.PodUsage, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if host == "10.0.0.2" {
		k.mu.Unlock()
		time.Sleep(200 * time.Millisecond)
		k.mu.Lock()
		return nil, errors.New("away")
	}
	return k.kubelets.PodUsages(ctx, host, port)
}

func TestANodeThatIsAwayDatesNoOthersLate(t *testing.T) {
	k, s := &slowly{kubelets: kubelets{pods: []kubelet.PodUsage{used("u0", 7000, 8, 0)}}}, &sink{files: map[string]string{}}
	u := watching(t, k, s, nil)
	far := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "far"}, Status: corev1.NodeStatus{
		Addresses:       []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.2"}},
		DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: 10250}},
	}}
	statetest.Must(t, u.runs.Create(t.Context(), far))
	moved := &corev1.Pod{}
	statetest.Must(t, u.runs.Get(t.Context(), client.ObjectKey{Namespace: "team", Name: "m-1"}, moved))
	moved.Spec.NodeName = "far"
	statetest.Must(t, u.runs.Update(t.Context(), moved))
	begin, _, err := u.runs.Clock.Now(nil)
	statetest.Must(t, err)
	u.look(t.Context())
	if got := s.lines(t); len(got) != 1 || got[0].AtUnixNanos-begin.UnixNano() > int64(150*time.Millisecond) {
		t.Errorf("%+v, %d ns after it was asked", got, got[0].AtUnixNanos-begin.UnixNano())
	}
}

func TestAVolumeIsKeptByItself(t *testing.T) {
	k := &kubelets{pods: []kubelet.PodUsage{{UID: "u0", Data: &kubelet.VolumeUsage{Bytes: 5, Age: time.Minute, Stamp: statetest.Epoch}}, {UID: "u1"}}}
	s := &sink{files: map[string]string{}}
	watching(t, k, s, nil).look(t.Context())
	got := s.lines(t)
	if len(got) != 1 || *got[0].DataBytes != 5 || got[0].CPUMicros != nil || got[0].DataAtUnixNanos > statetest.Epoch.Add(-time.Minute+5*time.Second).UnixNano() {
		t.Errorf("%+v", got)
	}
}

func TestALostAnswerDoublesNothing(t *testing.T) {
	k := &kubelets{pods: []kubelet.PodUsage{used("u0", 7000, 8, 0)}}
	s := &sink{files: map[string]string{}, away: true}
	u := watching(t, k, s, nil)
	u.look(t.Context())
	s.away = false
	k.pods[0] = used("u0", 9000, 8, 0)
	u.look(t.Context()) // hears how much arrived
	u.look(t.Context())
	got := s.lines(t)
	if len(got) != 2 || *got[0].CPUMicros != 7 || *got[1].CPUMicros != 9 {
		t.Errorf("%+v", got)
	}
}

func TestARunThatUsesNothingIsNotAskedFor(t *testing.T) {
	for name, change := range map[string]func(*v1alpha1.BenchmarkRun){
		"its store isn't ready": func(run *v1alpha1.BenchmarkRun) { run.Status.Conditions = nil },
		"it has its report": func(run *v1alpha1.BenchmarkRun) {
			status.SetCondition(run, v1alpha1.ConditionReported, metav1.ConditionTrue, "Stored", "")
		},
		"it failed": func(run *v1alpha1.BenchmarkRun) {
			status.SetCondition(run, v1alpha1.ConditionFailed, metav1.ConditionTrue, "Failed", "")
		},
		"its plan is another": func(run *v1alpha1.BenchmarkRun) { run.Status.PlanSHA256 = "0000" },
	} {
		k, s := &kubelets{pods: []kubelet.PodUsage{used("u0", 7000, 8, 0)}}, &sink{files: map[string]string{}}
		u := watching(t, k, s, change)
		if u.look(t.Context()); len(k.asked) > 0 || len(s.files) > 0 {
			t.Errorf("%s: %v were asked, and %d files are there", name, k.asked, len(s.files))
		}
	}
}

func TestAKubeletThatDoesNotAnswerIsCounted(t *testing.T) {
	k, s := &kubelets{err: errors.New("away")}, &sink{files: map[string]string{}}
	u := watching(t, k, s, nil)
	u.look(t.Context())
	u.look(t.Context())
	if got := testutil.ToFloat64(u.failures); got != 2 || len(s.files) > 0 {
		t.Errorf("%v failures, %d files", got, len(s.files))
	}
}

func TestWhatIsKeptForAServerThatIsAwayIsBounded(t *testing.T) {
	f := &file{last: map[string]reading{}}
	for i := range uint64(20_000) {
		one := used("u0", i*1000, i, 0)
		f.note(runningMember{name: "m-0"}, &one, statetest.Epoch.Add(time.Duration(i)))
	}
	if n := len(f.pending); n > maxPendingUsage || n < maxPendingUsage/2 {
		t.Errorf("%d bytes are kept", n)
	}
}
