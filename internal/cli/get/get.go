// Package get is the verb that shows one run or suite.
package get

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/report"
)

// Command shows one.
func Command(e *env.Env) *cobra.Command {
	out, uid := output.NewFlag(), ""
	cmd := &cobra.Command{
		Use:   "get NAME",
		Short: "Show where a run or a suite stands, also a deleted one",
		Long: `get shows where one run or suite stands, with its conditions and the figures so far. JSON and YAML
are the resource itself where it is still in the cluster.`,
		Example: `  kubectl kvbench get etcd-leader-kill
  kubectl kvbench get suite/etcd-hazelcast -o yaml`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: e.CompleteNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.Find(cmd.Context(), args[0], uid, func(_ context.Context, _ *kube.Cluster, _ *kube.Results, entry *inventory.Entry) error {
				return out.Print(e.Out, value(entry), func(w io.Writer) error { return show(w, entry) })
			})
		},
	}
	out.Add(cmd.Flags())
	cmd.Flags().StringVar(&uid, "uid", "", "UID, or its begin, of one of several with the name")
	return cmd
}

func value(e *inventory.Entry) any {
	switch {
	case e.RunResource != nil:
		run := e.RunResource.DeepCopy()
		run.APIVersion, run.Kind, run.ManagedFields = v1alpha1.GroupVersion.String(), "BenchmarkRun", nil
		return run
	case e.SuiteResource != nil:
		suite := e.SuiteResource.DeepCopy()
		suite.APIVersion, suite.Kind, suite.ManagedFields = v1alpha1.GroupVersion.String(), "BenchmarkSuite", nil
		return suite
	}
	return e
}

func show(to io.Writer, e *inventory.Entry) error {
	fmt.Fprintf(to, "%s  %s/%s  %s\n", e.Kind, e.Namespace, e.Name, e.UID)
	line := []string{e.Phase}
	if e.Store != "" {
		line = append(line, strings.TrimSpace(fmt.Sprintf("%s %s", e.Store, e.Mode)), fmt.Sprintf("%d nodes", e.Members))
	}
	if e.Started != nil {
		line = append(line, "began at "+e.Started.Local().Format(time.DateTime))
	}
	fmt.Fprintln(to, strings.Join(line, ", "))
	if e.Valid != nil && !*e.Valid {
		fmt.Fprintln(to, "The numbers are not valid:", strings.Join(e.InvalidReasons, ", "))
	}
	if e.Verdict != "" {
		fmt.Fprintln(to, "Objectives:", e.Verdict)
	}
	var err error
	switch {
	case e.RunResource != nil:
		err = showRun(to, e.RunResource)
	case e.SuiteResource != nil:
		err = showSuite(to, e.SuiteResource)
	}
	if err == nil && e.Reported {
		_, err = fmt.Fprintf(to, "\nkubectl kvbench -n %s report %s prints the report.\n", e.Namespace, e.Reference())
	}
	return err
}

func showRun(to io.Writer, run *v1alpha1.BenchmarkRun) error {
	var rows [][]string
	for _, w := range run.Status.Workloads {
		if w.Summary != nil {
			rows = append(rows, []string{w.Name, fmt.Sprint(w.Summary.Throughput), w.Summary.P99, fmt.Sprint(w.Summary.Errors), strings.Join(w.InvalidReasons, ", ")})
		}
	}
	if len(rows) > 0 {
		fmt.Fprintln(to)
		if err := output.Columns(to, []string{"WORKLOAD", "OPS/S", "P99", "ERRORS", "NOT VALID FOR"}, rows); err != nil {
			return err
		}
	}
	if run.Status.Summary != nil && len(run.Status.Summary.Faults) > 0 {
		fmt.Fprintln(to)
		if err := output.Columns(to, []string{"FAULT", "TARGET", "OUTAGE", "LEADER"}, faultRows(run.Status.Summary.Faults)); err != nil {
			return err
		}
	}
	return showConditions(to, run.Status.Conditions)
}

func faultRows(faults []v1alpha1.FaultSummary) [][]string {
	rows := make([][]string, 0, len(faults))
	for _, f := range faults {
		outage, leader := report.Human(f.OutageMicros), ""
		switch {
		case f.PartOf != "":
			outage = "see " + f.PartOf
		case f.OutageCensored:
			outage = ">" + outage
		case f.OutageMicros == 0:
			outage = "none"
		}
		if f.LeaderBefore != "" && f.LeaderAfter != "" {
			leader = f.LeaderBefore + " → " + f.LeaderAfter
		}
		rows = append(rows, []string{f.Name, f.Target, outage, leader})
	}
	return rows
}

func showSuite(to io.Writer, suite *v1alpha1.BenchmarkSuite) error {
	if runs := suite.Status.Runs; runs != nil {
		fmt.Fprintf(to, "%d combinations; %d of %d trials done, %d without valid numbers\n", suite.Status.Combinations, runs.Done, runs.Total, runs.Unusable)
	}
	return showConditions(to, suite.Status.Conditions)
}

func showConditions(to io.Writer, conditions []metav1.Condition) error {
	if len(conditions) == 0 {
		return nil
	}
	fmt.Fprintln(to)
	var rows [][]string
	for _, c := range conditions {
		rows = append(rows, []string{c.Type, string(c.Status), c.Reason, strings.Join(strings.Fields(c.Message), " ")})
	}
	return output.Columns(to, []string{"CONDITION", "STATUS", "REASON", "MESSAGE"}, rows)
}
