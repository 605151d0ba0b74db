package watch

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/watch/frame"
)

const (
	// listTimeout bounds a list of a suite's runs, of which there may be a thousand.
	listTimeout = 15 * time.Second
	// labelSuiteUID is what the suites' controller puts on its runs.
	labelSuiteUID = "kvbench.io/suite-uid"
)

// suitePoller has what a suite's matrix was made of. A suite may have a thousand runs, so they are listed only when the suite has
// changed: that is when a run began or ended.
type suitePoller struct {
	version    string // of the suite
	runVersion string // of the run under way
	runs       []v1alpha1.BenchmarkRun
	stale      bool // there is news that the last matrix hasn't
	adoption
}

// ask adds the run under way to the answer, and the matrix if it may be another one.
func (p *suitePoller) ask(ctx context.Context, cluster client.Reader, of *v1alpha1.BenchmarkSuite, answer *clusterAnswer) {
	if answer.run, answer.err = runUnderWay(ctx, cluster, of); answer.err != nil {
		return
	}
	if of.ResourceVersion != p.version {
		runs := &v1alpha1.BenchmarkRunList{}
		limited, cancel := context.WithTimeout(ctx, listTimeout)
		err := cluster.List(limited, runs, client.InNamespace(of.Namespace), client.MatchingLabels{labelSuiteUID: string(of.UID)})
		cancel()
		if err != nil {
			answer.renewed, answer.matrixErr = true, kube.Explain(err)
			return
		}
		p.version, p.runs, p.stale = of.ResourceVersion, runs.Items, true
	}
	runVersion := ""
	if answer.run != nil {
		runVersion = answer.run.ResourceVersion
	}
	if runVersion != p.runVersion {
		p.runVersion, p.stale = runVersion, true
	}
	if !p.stale {
		return
	}
	if of.Status.Runs != nil && of.Status.Runs.Adopted > 0 {
		known, err := p.learn(ctx, string(of.UID), time.Now())
		if !known { // a matrix would say that these trials wait
			answer.renewed, answer.matrixErr = err != nil, err
			return
		}
	}
	p.stale, answer.renewed = false, true
	answer.matrix, answer.matrixErr = frame.Matrix(of, withFresh(p.runs, answer.run), p.trials)
}

// runUnderWay is nil where there is none, and where somebody else's run has the name.
func runUnderWay(ctx context.Context, cluster client.Reader, of *v1alpha1.BenchmarkSuite) (*v1alpha1.BenchmarkRun, error) {
	if of.Status.Run == "" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	run := &v1alpha1.BenchmarkRun{}
	err := cluster.Get(ctx, client.ObjectKey{Namespace: of.Namespace, Name: of.Status.Run}, run)
	if err != nil || !metav1.IsControlledBy(run, of) {
		return nil, kube.Explain(client.IgnoreNotFound(err))
	}
	return run, nil
}

// withFresh is the runs, with one of them as it is now.
func withFresh(runs []v1alpha1.BenchmarkRun, fresh *v1alpha1.BenchmarkRun) []v1alpha1.BenchmarkRun {
	if fresh == nil {
		return runs
	}
	renewed := slices.DeleteFunc(slices.Clone(runs), func(r v1alpha1.BenchmarkRun) bool { return r.Name == fresh.Name })
	return append(renewed, *fresh)
}
