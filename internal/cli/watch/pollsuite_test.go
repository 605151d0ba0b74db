package watch

import (
	"context"
	"errors"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/watch/frame"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// lister has no runs, and counts how often it says so.
type lister struct {
	client.Reader
	lists int
	err   error
}

func (l *lister) List(context.Context, client.ObjectList, ...client.ListOption) error {
	l.lists++
	return l.err
}

// adopting is a suite with one combination, whose one trial was adopted.
func adopting(version string) *v1alpha1.BenchmarkSuite {
	s := &v1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Name: "s", UID: "s", ResourceVersion: version}}
	s.Spec.Template.Spec.Raw = []byte(`{"store": {"name": "etcd", "nodes": 3}, "workloads": [{"name": "a", "preset": "A"}]}`)
	s.Spec.Axes = []v1alpha1.SuiteAxis{{Name: "rate", Path: "/load/rate", Values: []apiextensionsv1.JSON{{Raw: []byte("100")}}}}
	s.Spec.Trials.Count = ptr.To[int32](1)
	s.Status.Runs = &v1alpha1.SuiteRuns{Adopted: 1}
	return s
}

func asked(t *testing.T, p *suitePoller, cluster client.Reader, of *v1alpha1.BenchmarkSuite) clusterAnswer {
	t.Helper()
	var answer clusterAnswer
	if p.ask(t.Context(), cluster, of, &answer); answer.err != nil {
		t.Fatal(answer.err)
	}
	return answer
}

func TestAdoptedTrialsAreAwaitedByNobody(t *testing.T) {
	release, fetches := make(chan error), 0
	p := &suitePoller{}
	p.fetch = func(context.Context, string) ([]manifest.Trial, error) {
		fetches++
		if err := <-release; err != nil {
			return nil, err
		}
		return []manifest.Trial{{Attempts: []manifest.Attempt{{Run: "r", Adopted: true, Outcome: manifest.Valid}}}}, nil
	}
	cluster := &lister{}
	for range 3 { // the server hangs
		if answer := asked(t, p, cluster, adopting("1")); answer.renewed {
			t.Errorf("a matrix without the adopted trials: %+v", answer)
		}
	}
	release <- errors.New("unavailable")
	p.background.Wait()
	for range 3 {
		if answer := asked(t, p, cluster, adopting("1")); !answer.renewed || answer.matrixErr == nil || answer.matrix != nil {
			t.Errorf("no error: %+v", answer)
		}
	}
	if p.answers != nil || fetches != 1 || cluster.lists != 1 {
		t.Fatalf("%d requests for adopted trials (another under way: %t) and %d lists, want one of each", fetches, p.answers != nil, cluster.lists)
	}
	p.failed = time.Now().Add(-refusedPause)
	asked(t, p, cluster, adopting("1"))
	release <- nil
	p.background.Wait()
	answer := asked(t, p, cluster, adopting("1"))
	if !answer.renewed || answer.matrixErr != nil || len(answer.matrix) != 1 || answer.matrix[0].Cells[0].State != frame.TrialValid {
		t.Errorf("%+v", answer)
	}
	if answer := asked(t, p, cluster, adopting("1")); answer.renewed || fetches != 2 || cluster.lists != 1 {
		t.Errorf("%d requests, %d lists, %+v without any news", fetches, cluster.lists, answer)
	}
	if answer := asked(t, p, cluster, adopting("2")); !answer.renewed || fetches != 2 || cluster.lists != 2 {
		t.Errorf("%d requests, %d lists, %+v after a change", fetches, cluster.lists, answer)
	}
}

func TestAListThatFailsIsTriedAgain(t *testing.T) {
	p, cluster, suite := &suitePoller{}, &lister{err: errors.New("away")}, adopting("1")
	suite.Status.Runs = nil
	if answer := asked(t, p, cluster, suite); !answer.renewed || answer.matrixErr == nil {
		t.Errorf("%+v", answer)
	}
	cluster.err = nil
	if answer := asked(t, p, cluster, suite); !answer.renewed || answer.matrixErr != nil || len(answer.matrix) != 1 {
		t.Errorf("%+v", answer)
	}
}
