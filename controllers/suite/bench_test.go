package suite

import (
	"context"
	"errors"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/suite"
)

// inMemory is a cache with one suite and its runs. It takes statuses.
type inMemory struct {
	client.Client
	suite *v1alpha1.BenchmarkSuite
	runs  []v1alpha1.BenchmarkRun
}

func (m *inMemory) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	m.suite.DeepCopyInto(into.(*v1alpha1.BenchmarkSuite))
	return nil
}

func (m *inMemory) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	into.(*v1alpha1.BenchmarkRunList).Items = append([]v1alpha1.BenchmarkRun(nil), m.runs...)
	return nil
}

func (m *inMemory) Create(context.Context, client.Object, ...client.CreateOption) error {
	return errors.New("the suite is suspended")
}

func (m *inMemory) Status() client.SubResourceWriter { return statuses{m: m} }

type statuses struct {
	client.SubResourceWriter
	m *inMemory
}

func (s statuses) Patch(_ context.Context, of client.Object, _ client.Patch, _ ...client.SubResourcePatchOption) error {
	s.m.suite = of.(*v1alpha1.BenchmarkSuite).DeepCopy()
	return nil
}

// taking is a results server that takes everything.
type taking struct{ Results }

func (taking) PutSuite(context.Context, string, []byte) error { return nil }

// BenchmarkPassOfAThousandRuns is a pass of a suite of 1,000 finished runs, with what it asks of caches, and without what it asks
// of servers.
func BenchmarkPassOfAThousandRuns(b *testing.B) {
	of := &v1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "s", UID: "00000000-0000-4000-8000-000000000000", Generation: 1}}
	if err := yaml.UnmarshalStrict([]byte(`
template: {spec: {store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A, duration: 5m}]}}
axes: [{name: rate, path: /load/rate, values: [100, 200, 300, 400, 500, 600, 700, 800]}]
trials: {count: 126}
maxRuns: 1008
retries: 0
suspend: true
`), &of.Spec); err != nil {
		b.Fatal(err)
	}
	combinations, problems := suite.Expand(&of.Spec)
	if len(problems) > 0 {
		b.Fatal(problems.String())
	}
	set(of, v1alpha1.ConditionAccepted, metav1.ConditionTrue, "Expanded", "all combinations make sense")
	var err error
	if of.Status.SpecSHA256, err = suite.Digest(&of.Spec); err != nil {
		b.Fatal(err)
	}
	cache := &inMemory{suite: of}
	state, err := stateOf(of, combinations)
	if err != nil {
		b.Fatal(err)
	}
	for i := range state.Turns[:1000] {
		turn := &state.Turns[i]
		run := runOf(of, suite.RunName(of.Name, turn, 0), combinations, turn, state.Seed)
		run.UID = types.UID(fmt.Sprint(i))
		run.Status.StartTime, run.Status.CompletionTime = ptr.To(metav1.Now()), ptr.To(metav1.Now())
		for _, kind := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionComplete, v1alpha1.ConditionValid} {
			run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionTrue})
		}
		cache.runs = append(cache.runs, *run)
	}
	r := &Reconciler{Client: cache, Results: taking{}, Recorder: events.NewFakeRecorder(100)}
	request := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(of)}
	for b.Loop() {
		if _, err := r.Reconcile(b.Context(), request); err != nil {
			b.Fatal(err)
		}
	}
	if runs := cache.suite.Status.Runs; runs == nil || runs.Done != 1000 {
		b.Errorf("%+v", cache.suite.Status)
	}
}
