// Package watch is the verb that shows a run or a suite while it goes on: in a terminal as a screen that is drawn anew each second,
// elsewhere as lines, JSON or YAML.
package watch

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/follow"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/cli/watch/view"
)

// Command shows one until its end.
func Command(e *env.Env) *cobra.Command {
	out := output.NewFlag()
	cmd := &cobra.Command{
		Use:   "watch NAME",
		Short: "Watch a run or a suite while it goes on",
		Long: `watch shows a run or a suite until it has ended, and then prints the verdict.

In a terminal it draws a screen anew each second. Of a run it shows the steps, the seconds that are left, the
operations intended and served, their p99 and errors, the last minute, the members with their roles, the
faults, and the last events. Of a suite it shows the matrix of its trials, and the run under way. q or Ctrl-C
leaves, and the run goes on.

The figures are of the newest whole second that all workers have sent, which ended a second or two ago. Older
ones have their age, and are not live. served are the successes that ended in it. errors failed in it, or nobody
knows how they ended. The p99 is of the successes: of their response time where operations have intended times,
and of their service time in a closed loop.

Elsewhere, as in a CI log, it prints a line at each change, and the figures every ten seconds. -o json prints
one object each second, in one line, and -o yaml one document. The last one says how it ended.

If a server doesn't answer, watch says so and asks again, for as long as it takes.

The exit code is that of kubectl kvbench run. Before the end it is 0 for whoever leaves the screen with q or
Ctrl-C. Elsewhere an interrupt gives 130.`,
		Example: `  kubectl kvbench watch etcd-leader-kill
  kubectl kvbench watch suite/etcd-reads
  kubectl kvbench watch etcd-leader-kill | tee watch.log
  kubectl kvbench watch etcd-leader-kill -o json | jq --unbuffered .run.load.figures.served`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: e.CompleteNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			cluster, err := e.Flags.Connect()
			if err != nil {
				return err
			}
			results := cluster.Results()
			defer results.Close()
			entry, err := inventory.Find(cmd.Context(), cluster, results, args[0], "")
			if err != nil {
				return err
			}
			object, err := resourceOf(entry)
			if err != nil {
				return err
			}
			return show(cmd.Context(), e, cluster, results, object, out.Format)
		},
	}
	out.Add(cmd.Flags())
	return cmd
}

// resourceOf is what the cluster has of the entry.
func resourceOf(entry *inventory.Entry) (client.Object, error) {
	switch {
	case entry.RunResource != nil:
		return entry.RunResource, nil
	case entry.SuiteResource != nil:
		return entry.SuiteResource, nil
	}
	return nil, fmt.Errorf("%s is no longer in the cluster, so there is nothing to watch: kubectl kvbench -n %s report %s prints what it found",
		entry.Reference(), entry.Namespace, entry.Reference())
}

// show shows it in the way that is asked for, and says how it ended.
func show(ctx context.Context, e *env.Env, cluster *kube.Cluster, results *kube.Results, object client.Object, format output.Format) error {
	p := newPoller(cluster, results, object)
	var m model
	var err error
	if to := terminal(e.Out); to != nil && format == output.Table {
		m, err = draw(ctx, e, to, p, object)
	} else {
		m, err = stream(ctx, (&writer{out: e.Out, format: format}).write, p, object)
	}
	if errors.Is(err, errLeft) || errors.Is(err, context.Canceled) {
		reference := inventory.Of(object).Reference()
		fmt.Fprintf(e.Err, "%s goes on in the cluster.\nTo watch it again:  kubectl kvbench -n %s watch %s\n", reference, object.GetNamespace(), reference)
		if errors.Is(err, errLeft) {
			return nil
		}
	}
	if err != nil {
		return err
	}
	return conclude(e, m.object, format)
}

func newPoller(cluster *kube.Cluster, results *kube.Results, object client.Object) *poller {
	p := &poller{cluster: cluster, results: results, key: client.ObjectKeyFromObject(object)}
	p.suite.fetch = adoptedBy(cluster)
	return p
}

// conclude prints the verdict. Programs have it in the last frame.
func conclude(e *env.Env, object client.Object, format output.Format) error {
	code, sentences := follow.Verdict(object)
	if format == output.Table {
		for _, sentence := range sentences {
			fmt.Fprintln(e.Out, view.Sentence(sentence))
		}
	}
	if code != 0 {
		return exit.With(code, nil)
	}
	return nil
}
