package logs

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	crfake "sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/inventory"
)

func TestThePodsOfASuiteAreListedOnce(t *testing.T) {
	pod := func(name, uid, role string) client.Object {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "team-a", Labels: map[string]string{labelUID: uid, labelRole: role}}}
		p.Spec.Containers = []corev1.Container{{Name: "main"}}
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
		return p
	}
	lists := 0
	k := interceptor.NewClient(crfake.NewClientBuilder().WithObjects(
		pod("one-1-0", "u1", "store"), pod("two-2-0", "u2", "store"), pod("two-2-load-x", "u2", "load"), pod("three-3-0", "u3", "store"),
	).Build(), interceptor.Funcs{List: func(ctx context.Context, k client.WithWatch, list client.ObjectList, o ...client.ListOption) error {
		lists++
		return k.List(ctx, list, o...)
	}})
	suite := subject{Name: "s", Namespace: "team-a", UID: "u0"}
	one := subject{Name: "one", Namespace: "team-a", UID: "u1", ID: "one-1", Store: "etcd"}
	two := subject{Name: "two", Namespace: "team-a", UID: "u2", ID: "two-2", Store: "etcd"}
	for _, c := range []struct {
		subjects []subject
		lists    int
		want     []string
	}{
		{[]subject{suite}, 0, nil},
		{[]subject{one}, 1, []string{"one member etcd-0"}},
		{[]subject{suite, two, one}, 1, []string{"two member etcd-0", "one member etcd-0"}},
	} {
		lists = 0
		found, err := podsOf(t.Context(), k, c.subjects, wanted{Member: true})
		var got []string
		for _, f := range found {
			got = append(got, f.Like.Run+" "+f.Like.Source)
		}
		if err != nil || lists != c.lists || !slices.Equal(got, c.want) {
			t.Errorf("%d subjects: got %q with %d lists, %v; want %q with %d", len(c.subjects), got, lists, err, c.want, c.lists)
		}
	}
}

// The controller writes of a new run before the run is found.
func TestTheControllersFirstLinesAboutANewRunOfASuiteAreShown(t *testing.T) {
	s := newScene(t)
	suite := &v1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Name: "s", Namespace: "team-a", UID: "5678"}}
	if err := s.k.Create(t.Context(), suite); err != nil {
		t.Fatal(err)
	}
	manager := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "manager", Namespace: "sys", UID: "m", Labels: map[string]string{
		"app.kubernetes.io/name": "kvbench", "app.kubernetes.io/component": "controller"}}}
	manager.Spec.Containers = []corev1.Container{{Name: "main"}}
	manager.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	if _, err := s.core.CoreV1().Pods("sys").Create(t.Context(), manager, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	log, write := io.Pipe()
	v := s.view("controller")
	v.entry = &inventory.Entry{Kind: inventory.Suite, Namespace: "team-a", Name: "s", UID: "5678", InCluster: true, SuiteResource: suite}
	v.open = func(ctx context.Context, _ container, _ corev1.PodLogOptions) (io.ReadCloser, error) {
		context.AfterFunc(ctx, func() { _ = write.Close() })
		go func() {
			fmt.Fprintf(write, "%s team-a/new is made\n%s team-a/other is made\n%s team-a/s has begun\n", stamp(1), stamp(2), stamp(3))
			fresh := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "new", Namespace: "team-a", UID: "91011", Labels: map[string]string{labelSuiteUID: "5678"}}}
			if err := s.k.Create(context.Background(), fresh); err != nil {
				t.Error(err)
			}
		}()
		return log, nil
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	v.printer.to = writer(func(p []byte) {
		if s.out.Write(p); strings.Contains(s.out.String(), "team-a/new is made") && strings.Contains(s.out.String(), "team-a/s has begun") {
			cancel()
		}
	})
	_ = v.follow(ctx) // it says that it was cancelled
	if got := s.out.String(); !strings.Contains(got, "team-a/new is made") || !strings.Contains(got, "team-a/s has begun") || strings.Contains(got, "other") {
		t.Errorf("got %q; complaints: %s", got, s.err.String())
	}
}

func TestWhatIsMissedIsBounded(t *testing.T) {
	var m missed
	for i := range mostMissed + 5 {
		m.Add(Line{Text: fmt.Sprintf("team-a/r%d.", i)})
	}
	if len(m.lines) != mostMissed || m.lines[0].Text != "team-a/r5." {
		t.Errorf("%d lines, the first is %q", len(m.lines), m.lines[0].Text)
	}
	m.Add(Line{Text: strings.Repeat("x", mostMissedBytes-3) + " team-a/r7"})
	if len(m.lines) != 0 || m.bytes != 0 {
		t.Errorf("%d lines of %d bytes are left", len(m.lines), m.bytes)
	}
	m.Add(Line{Text: "team-a/r7"})
	m.Add(Line{Text: "team-a/r8"})
	if about := m.Take([]subject{{Name: "r7", Namespace: "team-a"}}); texts(about) != "team-a/r7" || about[0].Run != "r7" || texts(m.lines) != "team-a/r8" || m.bytes != 9 {
		t.Errorf("took %v, and %v is left", about, m)
	}
}

func TestNoLinesOfTheControllerAreNoneOfAny(t *testing.T) {
	for tail, want := range map[int64]int64{0: 0, 5: -1, -1: -1} { // -1 is that the API server isn't asked for a number
		s := newScene(t)
		v := s.view("controller")
		v.span.tail = tail
		v.subjects.Store(&[]subject{ofRun(s.run)})
		got := int64(-1)
		v.open = func(_ context.Context, _ container, o corev1.PodLogOptions) (io.ReadCloser, error) {
			if o.TailLines != nil {
				got = *o.TailLines
			}
			return io.NopCloser(strings.NewReader("")), nil
		}
		all(t, v.stream(t.Context(), container{Key: "c", Like: Line{Role: Controller}}, true))
		if got != want {
			t.Errorf("tail %d: asked for the last %d, want %d", tail, got, want)
		}
	}
}
