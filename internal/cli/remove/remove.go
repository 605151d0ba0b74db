// Package remove has the verbs that cancel and delete runs and suites.
package remove

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/follow"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/screen"
)

// CancelCommand ends what is under way.
func CancelCommand(e *env.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel NAME",
		Short: "End a run or a suite that is under way",
		Long: `cancel deletes the resource of a run or a suite that is under way, and waits until all that it created is gone. A suite's
finished runs stay at the results server: a suite of that name with adopt: true goes on from there.`,
		Example:           "  kubectl kvbench cancel etcd-leader-kill",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: e.CompleteNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.Find(cmd.Context(), args[0], "", func(ctx context.Context, cluster *kube.Cluster, _ *kube.Results, entry *inventory.Entry) error {
				resource := resourceOf(entry)
				if resource == nil || Over(entry) {
					return fmt.Errorf("%s is %s, so there is nothing to cancel", entry.Reference(), entry.Phase)
				}
				return removeResource(ctx, e, cluster, resource, entry, "Cancelling")
			})
		},
	}
}

// DeleteCommand deletes a resource, and what is kept of it.
func DeleteCommand(e *env.Env) *cobra.Command {
	uid, yes, keepResults := "", false, false
	cmd := &cobra.Command{
		Use:   "delete NAME",
		Short: "Delete a run or a suite, with its report and its raw data",
		Long: `delete deletes the resource, and what the results server keeps of it: report and raw data of a run. --keep-results leaves
these. A run that is under way is cancelled by that.

Of a suite it deletes the resource, with the resources of its runs. What the results server keeps stays: the suite's report,
and the results of its runs. A suite of that name with adopt: true goes on from there. To delete the report too, delete the
suite once more. To delete the results of the runs, delete these one by one. The results server refuses that of a run which
a suite under way needs.`,
		Example: `  kubectl kvbench delete etcd-leader-kill
  kubectl kvbench delete etcd-leader-kill --keep-results
  kubectl kvbench delete etcd-leader-kill --yes --uid 7f3c
  kubectl kvbench delete suite/nightly   # the resource, and its report when that is gone
  kubectl kvbench delete run/nightly-b1-c1`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: e.CompleteNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.Find(cmd.Context(), args[0], uid, func(ctx context.Context, cluster *kube.Cluster, results *kube.Results, entry *inventory.Entry) error {
				if err := somethingGoes(entry, keepResults); err != nil {
					return err
				}
				if !yes {
					if err := confirm(e, entry, keepResults); err != nil {
						return err
					}
				}
				return remove(ctx, e, cluster, results, entry, keepResults)
			})
		},
	}
	cmd.Flags().StringVar(&uid, "uid", "", "UID, or its begin, of one of several with the name")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "don't ask")
	cmd.Flags().BoolVar(&keepResults, "keep-results", false, "leave the report and the raw data at the results server")
	return cmd
}

func resourceOf(entry *inventory.Entry) client.Object {
	switch {
	case entry.RunResource != nil:
		return entry.RunResource
	case entry.SuiteResource != nil:
		return entry.SuiteResource
	}
	return nil
}

// Over says that nothing of it is under way.
func Over(entry *inventory.Entry) bool {
	if entry.RunResource != nil {
		return follow.Ended(entry.RunResource)
	}
	return follow.SuiteEnded(entry.SuiteResource)
}

// somethingGoes refuses a deletion that would delete nothing.
func somethingGoes(entry *inventory.Entry, keepResults bool) error {
	if keepResults && resourceOf(entry) == nil {
		return fmt.Errorf("%s is not in the cluster, and --keep-results leaves what the results server has of it: nothing is deleted", entry.Reference())
	}
	return nil
}

func confirm(e *env.Env, entry *inventory.Entry, keepResults bool) error {
	if !e.Interactive() {
		return errors.New("delete asks first, and nobody can answer here: add --yes")
	}
	answer, err := e.Ask(fmt.Sprintf("This deletes %s (%s) %s. Go on? [y/N] ", entry.Reference(), entry.Phase, extent(entry, keepResults)))
	if err != nil {
		return err
	}
	if answer != "y" && answer != "yes" {
		return errors.New("nothing is deleted")
	}
	return nil
}

// extent says what goes with it, and what stays.
func extent(entry *inventory.Entry, keepResults bool) string {
	switch {
	case keepResults, entry.Kind == inventory.Suite && resourceOf(entry) != nil:
		return "and leaves the results that are kept"
	case entry.Kind == inventory.Suite:
		return "with its report, and leaves the results of its runs"
	}
	return "with its report and its raw data, if there are any"
}

func remove(ctx context.Context, e *env.Env, cluster client.Client, results server, entry *inventory.Entry, keepResults bool) error {
	resource := resourceOf(entry)
	if resource != nil {
		if err := removeResource(ctx, e, cluster, resource, entry, "Deleting"); err != nil {
			return err
		}
	}
	if keepResults {
		return nil
	}
	if entry.Kind == inventory.Suite && resource != nil {
		fmt.Fprintln(e.Err, stays(entry))
		return nil
	}
	return forget(ctx, e.Err, cluster, results, entry)
}

func removeResource(ctx context.Context, e *env.Env, cluster client.Client, resource client.Object, entry *inventory.Entry, doing string) error {
	s := screen.New(e.Err)
	defer s.Keep()
	return s.Step(doing+" "+entry.Reference(), func() error { return kube.DeleteAndWait(ctx, cluster, resource) })
}
