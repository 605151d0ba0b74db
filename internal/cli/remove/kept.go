package remove

import (
	"context"
	"fmt"
	"io"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/follow"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// server is the results server.
type server interface {
	Ask(ctx context.Context, path string, into any) error
	Delete(ctx context.Context, path string) error
}

// stays says what is left of a suite whose resource was deleted. It may be adopted, so it goes by another command.
func stays(suite *inventory.Entry) string {
	return fmt.Sprintf("What the results server keeps of %[1]s stays: its report, and the results of its runs.\n"+
		"kubectl kvbench delete %[1]s deletes the report now, and kubectl kvbench delete run/NAME the results of a run.", suite.Reference())
}

// forget deletes what the results server keeps of a run or a suite whose resource is gone.
func forget(ctx context.Context, to io.Writer, cluster client.Reader, results server, entry *inventory.Entry) error {
	kept, err := inventory.IsKept(ctx, results, entry)
	if err == nil && !kept {
		fmt.Fprintf(to, "Nothing else is kept of %s.\n", entry.Reference())
		return nil
	}
	over := url.Values{"over": {"true"}}
	if err == nil && entry.Kind == inventory.Run {
		over["suiteOver"], err = suitesOver(ctx, cluster, results, entry)
	}
	if err == nil {
		err = results.Delete(ctx, entry.Location()+"?"+over.Encode())
	}
	if err != nil {
		return fmt.Errorf("the results of %s may be kept still: %w", entry.Reference(), err)
	}
	fmt.Fprintf(to, "What was kept of %s is deleted.\n", entry.Reference())
	if entry.Kind == inventory.Suite {
		fmt.Fprintln(to, "The results of its runs stay: kubectl kvbench delete run/NAME deletes those of a run.")
	}
	return nil
}

// suitesOver are the suites, by UID, that the results server believes to need the run, and that nobody goes on with: they were
// deleted half-way, or have ended. The server can't see that, for it may not read resources. It is asked before the cluster,
// so that a suite which begins meanwhile is not taken for one that was deleted.
func suitesOver(ctx context.Context, cluster client.Reader, results server, run *inventory.Entry) (uids []string, err error) {
	var list wire.SuiteList
	if err := results.Ask(ctx, "/v1/suites?"+url.Values{"namespace": {run.Namespace}, "run": {run.UID}}.Encode(), &list); err != nil {
		return nil, err
	}
	for i := range list.Suites {
		told := &list.Suites[i]
		if told.Complete {
			continue
		}
		suite := &v1alpha1.BenchmarkSuite{}
		err := cluster.Get(ctx, client.ObjectKey{Namespace: told.Namespace, Name: told.Name}, suite)
		if client.IgnoreNotFound(err) != nil {
			return nil, kube.Explain(err)
		}
		if apierrors.IsNotFound(err) || string(suite.UID) != told.UID || follow.SuiteEnded(suite) {
			uids = append(uids, told.UID)
		}
	}
	return uids, nil
}
