package watch

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// reportTimeout bounds the one request for a suite's report, which the results server computes.
const reportTimeout = time.Minute

// adoption are the trials whose runs an earlier suite made. Those runs are no longer in the cluster, so the results server is asked,
// once. It may take its time, so that is done in the background.
type adoption struct {
	// fetch asks the results server for the trials of the suite.
	fetch func(ctx context.Context, suiteUID string) ([]manifest.Trial, error)

	known  bool
	trials []manifest.Trial
	failed time.Time // when the last request failed
	err    error     // of the last request

	answers    chan adoptionAnswer // of the request under way; nil without one
	background sync.WaitGroup
}

type adoptionAnswer struct {
	trials []manifest.Trial
	err    error
}

// learn says whether the trials are known. It doesn't wait: it asks for them, or takes what has come. err is of the last request,
// and the next one is a pause after it.
func (a *adoption) learn(ctx context.Context, suiteUID string, now time.Time) (known bool, err error) {
	select {
	case answer := <-a.answers:
		a.answers = nil
		if a.err = answer.err; a.err != nil {
			a.failed = now
		} else {
			a.known, a.trials = true, answer.trials
		}
	default:
	}
	if a.known || a.answers != nil || !a.failed.IsZero() && now.Sub(a.failed) < refusedPause {
		return a.known, a.err
	}
	answers := make(chan adoptionAnswer, 1)
	a.answers = answers
	a.background.Go(func() {
		trials, err := a.fetch(ctx, suiteUID)
		answers <- adoptionAnswer{trials, err}
	})
	return false, a.err
}

// adoptedBy asks on a connection of its own, for one serves one request at a time.
func adoptedBy(cluster *kube.Cluster) func(ctx context.Context, suiteUID string) ([]manifest.Trial, error) {
	return func(ctx context.Context, suiteUID string) ([]manifest.Trial, error) {
		ctx, cancel := context.WithTimeout(ctx, reportTimeout)
		defer cancel()
		results := cluster.Results()
		defer results.Close()
		var report findings.Report
		if err := results.Ask(ctx, forward.SuiteLocation(suiteUID)+"/suite.json", &report); err != nil {
			return nil, fmt.Errorf("which trials were adopted is not known: %w", err)
		}
		return report.Trials, nil
	}
}
