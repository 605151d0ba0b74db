package logs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	crfake "sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/output"
)

// scene is a cluster with a run, and logs that the test writes.
type scene struct {
	t    *testing.T
	run  *v1alpha1.BenchmarkRun
	k    client.WithWatch
	core *fake.Clientset

	mu   sync.Mutex
	logs map[string][]string // by pod: what each opening of its log gives; one with "..." ends with the run
	out  bytes.Buffer
	err  bytes.Buffer
	over chan struct{}
	then func(pod string, left int) // called when a log is opened
}

func newScene(t *testing.T) *scene {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	made := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "r", Namespace: "team-a", UID: "1234"}}
	made.Spec.Store.Name = "etcd"
	return &scene{t: t, run: made, core: fake.NewClientset(), logs: map[string][]string{}, over: make(chan struct{}),
		k: crfake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(made).WithObjects(made).Build()}
}

// pod adds a pod of the run with a container that runs, or has ended.
func (s *scene) pod(name, role string, running bool, logs ...string) *corev1.Pod {
	id := ofRun(s.run).ID
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: id + "-" + name, Namespace: "team-a", Labels: map[string]string{labelUID: "1234", labelRole: role}}}
	pod.UID = types.UID(pod.Name)
	pod.Spec.Containers = []corev1.Container{{Name: "main"}}
	status := corev1.ContainerStatus{Name: "main"}
	if running {
		status.State.Running = &corev1.ContainerStateRunning{}
	} else {
		status.State.Terminated = &corev1.ContainerStateTerminated{}
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{status}
	s.mu.Lock()
	s.logs[pod.Name] = logs
	s.mu.Unlock()
	if err := s.k.Create(s.t.Context(), pod); err != nil {
		s.t.Error(err)
	}
	return pod
}

func (s *scene) open(ctx context.Context, c container, _ corev1.PodLogOptions) (io.ReadCloser, error) {
	s.mu.Lock()
	left := s.logs[c.Pod]
	if len(left) == 0 {
		s.mu.Unlock()
		return nil, errors.New("nothing more was to be opened of " + c.Pod)
	}
	s.logs[c.Pod] = left[1:]
	then := s.then
	s.mu.Unlock()
	if then != nil {
		then(c.Pod, len(left)-1)
	}
	text, goesOn := strings.CutSuffix(left[0], "...")
	if !goesOn {
		return io.NopCloser(strings.NewReader(text)), nil
	}
	return io.NopCloser(io.MultiReader(strings.NewReader(text), until{ctx, s.over})), nil
}

// until is a stream that says nothing more, and ends with the run.
type until struct {
	ctx  context.Context
	over <-chan struct{}
}

func (u until) Read([]byte) (int, error) {
	select {
	case <-u.over:
		return 0, io.EOF
	case <-u.ctx.Done():
		return 0, u.ctx.Err()
	}
}

// end lets the run and its logs be over.
func (s *scene) end() {
	s.t.Helper()
	s.finish()
	close(s.over)
}

// finish lets the run be over, and not its logs.
func (s *scene) finish() {
	s.t.Helper()
	ended := s.run.DeepCopy()
	if err := s.k.Get(context.Background(), client.ObjectKeyFromObject(ended), ended); err != nil {
		s.t.Error(err)
	}
	ended.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue, Reason: "Finished",
		LastTransitionTime: metav1.Now()}}
	if err := s.k.Status().Update(context.Background(), ended); err != nil {
		s.t.Error(err)
	}
}

func (s *scene) view(of ...string) *view {
	roles, err := parseWanted(of)
	if err != nil {
		s.t.Fatal(err)
	}
	return &view{
		cluster: &kube.Cluster{WithWatch: s.k, Clients: s.core, Namespace: "team-a", System: "sys"},
		entry:   &inventory.Entry{Kind: inventory.Run, Namespace: "team-a", Name: "r", UID: "1234", InCluster: true, RunResource: s.run},
		open:    s.open, wanted: roles, previous: true, span: span{tail: -1}, every: time.Millisecond,
		printer: &printer{to: &s.out, format: output.Table}, err: &s.err, lives: map[string]*life{}, seen: map[string]bool{},
	}
}

// history prints what there is.
func (s *scene) history(v *view) (read, failed int) {
	s.t.Helper()
	state, err := v.look(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	v.subjects.Store(&state.subjects)
	if err = v.history(s.t.Context(), state); err != nil {
		s.t.Fatal(err)
	}
	return v.count()
}

// said is what was printed, without times and with one space between columns.
func (s *scene) said() string {
	var lines []string
	for line := range strings.Lines(s.out.String()) {
		lines = append(lines, strings.Join(strings.Fields(line)[1:], " "))
	}
	return strings.Join(lines, "|")
}

func TestTheHistoryOfARunIsMerged(t *testing.T) {
	s := newScene(t)
	s.pod("0", "store", true, stamp(1)+" a\n"+stamp(4)+" d\n")
	s.pod("measure-a-0-x7k2p", "worker", false, stamp(2)+" b\n"+stamp(3)+" c\n")
	s.pod("other", "fault", true)
	read, failed := s.history(s.view("members", "workers"))
	if got, want := s.said(), "member etcd-0 a|worker measure-a-0 b|worker measure-a-0 c|member etcd-0 d"; got != want || read != 2 || failed != 0 {
		t.Errorf("got %q of %d, %d failed; want %q", got, read, failed, want)
	}
}

func TestALogThatCantBeReadIsToldAndTheOthersAreShown(t *testing.T) {
	s := newScene(t)
	s.pod("0", "store", true, stamp(1)+" a\n")
	s.pod("1", "store", true)
	_, failed := s.history(s.view("members"))
	if s.said() != "member etcd-0 a" || failed != 1 || !strings.Contains(s.err.String(), "The log of member etcd-1 (pod ") {
		t.Errorf("%q, %d failed, %q", s.said(), failed, s.err.String())
	}
}

func TestWithoutRightsTheControllerIsLeftOut(t *testing.T) {
	s := newScene(t)
	s.core.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("not yours"))
	})
	s.pod("0", "store", true, stamp(1)+" a\n")
	v := s.view("members", "controller")
	if _, failed := s.history(v); s.said() != "member etcd-0 a" || failed != 0 {
		t.Errorf("%q, %d failed", s.said(), failed)
	}
	if _, err := v.look(t.Context()); err != nil {
		t.Error(err)
	}
	if got := s.err.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "controller's log is left out") || !strings.Contains(got, "sys") {
		t.Errorf("said %q", got)
	}
}

// The log of a member breaks, and comes again from its last second on; a worker begins later; then the run ends.
func TestFollowingGoesOnWithBrokenAndNewLogs(t *testing.T) {
	s := newScene(t)
	member := s.pod("0", "store", true,
		stamp(1)+" a\n",
		stamp(1)+" a\n"+stamp(2)+" b\n", // and breaks
		stamp(1)+" a\n"+stamp(2)+" b\n"+stamp(3)+" c\n...",
	)
	worker := ofRun(s.run).ID + "-load-a-0-x7k2p"
	s.then = func(pod string, left int) { // one log is opened at a time until the worker's is
		switch {
		case pod == member.Name && left == 0: // its log was opened for the last time
			s.pod("load-a-0-x7k2p", "load", false, stamp(4)+" d\n")
		case pod == worker:
			if err := s.k.Delete(context.Background(), member.DeepCopy()); err != nil {
				t.Error(err)
			}
			s.end()
		}
	}
	v := s.view("members", "workers")
	s.history(v)
	if err := v.follow(t.Context()); err != nil {
		t.Error(err)
	}
	if got, want := s.said(), "member etcd-0 a|member etcd-0 b|member etcd-0 c|worker load-a-0 d"; got != want {
		t.Errorf("got %q, want %q; complaints: %s", got, want, s.err.String())
	}
}

func TestFollowingEndsWithTheRunAndWithWhatWasOnItsWay(t *testing.T) {
	s := newScene(t)
	s.pod("0", "store", false, stamp(1)+" a\n", stamp(1)+" a\n"+stamp(2)+" b\n")
	v := s.view("members", "events")
	s.history(v)
	s.then = func(string, int) { s.end() }
	if err := v.follow(t.Context()); err != nil {
		t.Error(err)
	}
	if got := s.said(); got != "member etcd-0 a|member etcd-0 b" {
		t.Errorf("got %q; complaints: %s", got, s.err.String())
	}
}

func TestFollowingShowsEventsOnce(t *testing.T) {
	s := newScene(t)
	s.pod("0", "store", true, stamp(1)+" a\n...", "...")
	v := s.view("events")
	watch := apiwatch.NewFake()
	s.core.PrependWatchReactor("events", clienttesting.DefaultWatchReactor(watch, nil))
	about := corev1.ObjectReference{Kind: "BenchmarkRun", Namespace: "team-a", Name: "r", UID: "1234"}
	v.printer.to = writer(func(p []byte) {
		if s.out.Write(p); strings.Contains(string(p), "second") {
			s.end()
		}
	})
	var sending sync.WaitGroup
	sending.Go(func() {
		for i, reason := range []string{"First", "First", "second"} {
			watch.Add(&corev1.Event{ObjectMeta: metav1.ObjectMeta{UID: types.UID(reason)}, InvolvedObject: about, Reason: reason, EventTime: metav1.NewMicroTime(at(i))})
		}
	})
	if err := v.follow(t.Context()); err != nil {
		t.Error(err)
	}
	sending.Wait()
	if got := s.said(); strings.Count(got, "First") != 1 || strings.Count(got, "second") != 1 {
		t.Errorf("got %q; complaints: %s", got, s.err.String())
	}
}

// writer is told what is written.
type writer func([]byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }

// A store that spec.retain keeps runs on after its run.
func TestFollowingDoesNotWaitForAStoreThatIsKept(t *testing.T) {
	s := newScene(t)
	s.pod("0", "store", true, stamp(1)+" a\n", stamp(1)+" a\n"+stamp(2)+" b\n...")
	v := s.view("members")
	s.history(v)
	s.over = nil // its log has no end
	v.printer.to = writer(func(p []byte) {
		s.out.Write(p)
		s.finish()
	})
	if err := v.follow(t.Context()); err != nil {
		t.Error(err)
	}
	if got := s.said(); got != "member etcd-0 a|member etcd-0 b" {
		t.Errorf("got %q; complaints: %s", got, s.err.String())
	}
}

func TestRightsThatAreMissingLeaveTheRest(t *testing.T) {
	refuse := func(what string) clienttesting.ReactionFunc {
		return func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: what}, "", errors.New("not yours"))
		}
	}
	s := newScene(t)
	s.core.PrependReactor("list", "events", refuse("events"))
	s.pod("0", "store", true, stamp(1)+" a\n")
	if _, failed := s.history(s.view("members", "events")); s.said() != "member etcd-0 a" || failed != 0 {
		t.Errorf("%q, %d failed", s.said(), failed)
	}
	if got := s.err.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "The events are left out: ") || strings.Contains(got, `\x0a`) {
		t.Errorf("said %q", got)
	}

	s = newScene(t)
	s.pod("0", "store", true)
	s.pod("1", "store", true)
	v := s.view("members")
	v.open = func(context.Context, container, corev1.PodLogOptions) (io.ReadCloser, error) {
		_, _, err := refuse("pods/log")(nil)
		return nil, err
	}
	if _, failed := s.history(v); failed != 2 || strings.Count(s.err.String(), "\n") != 1 || !strings.Contains(s.err.String(), "kvbench-user") {
		t.Errorf("%d failed, said %q", failed, s.err.String())
	}
}
