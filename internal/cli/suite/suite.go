// Package suite has the verbs of suites alone.
package suite

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/follow"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/output"
)

// Command has the verbs below it.
func Command(e *env.Env) *cobra.Command {
	cmd := &cobra.Command{Use: "suite", Short: "See how far a suite is"}
	cmd.AddCommand(statusCommand(e))
	return cmd
}

// Status is how far a suite is.
type Status struct {
	Name         string `json:"name"`
	Phase        string `json:"phase"`
	Combinations int32  `json:"combinations"`
	Total        int32  `json:"total"`
	Done         int32  `json:"done"`
	Running      string `json:"running,omitempty"` // the run under way
	Unusable     int32  `json:"unusable"`          // without valid numbers
	Left         int32  `json:"left"`
	Repeated     int32  `json:"repeated"`
	TimeLeft     string `json:"timeLeft,omitempty"`
	// Ended says that the suite is over. ExitCode and Verdict then say how.
	Ended    bool     `json:"ended"`
	ExitCode int      `json:"exitCode"`
	Verdict  []string `json:"verdict,omitempty"`
}

func statusCommand(e *env.Env) *cobra.Command {
	out := output.NewFlag()
	cmd := &cobra.Command{
		Use:   "status NAME",
		Short: "Count the trials of a suite: done, running, not valid, left",
		Long: `status counts the trials of a suite that is in the cluster, and estimates the time that is left. Once the suite has
ended, the exit code is that of kubectl kvbench run.`,
		Example:           "  kubectl kvbench suite status etcd-hazelcast",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: e.CompleteNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			cluster, err := e.Flags.Connect()
			if err != nil {
				return err
			}
			results := cluster.Results()
			defer results.Close()
			reference := string(inventory.Suite) + "/" + strings.TrimPrefix(args[0], string(inventory.Suite)+"/")
			entry, err := inventory.Find(cmd.Context(), cluster, results, reference, "")
			if err != nil {
				return err
			}
			if entry.SuiteResource == nil {
				return fmt.Errorf("the suite %s is no longer in the cluster: kubectl kvbench report %s prints what it found", entry.Name, entry.Reference())
			}
			told := statusOf(entry.SuiteResource)
			if err := out.Print(e.Out, told, func(w io.Writer) error { return show(w, &told) }); err != nil {
				return err
			}
			if told.ExitCode != 0 {
				return exit.With(told.ExitCode, nil)
			}
			return nil
		},
	}
	out.Add(cmd.Flags())
	return cmd
}

func statusOf(suite *v1alpha1.BenchmarkSuite) Status {
	s := &suite.Status
	told := Status{Name: suite.Name, Phase: s.Phase, Combinations: s.Combinations, Running: s.Run, TimeLeft: s.TimeLeft, Ended: follow.SuiteEnded(suite)}
	if s.Runs != nil {
		told.Total, told.Done, told.Unusable, told.Left, told.Repeated = s.Runs.Total, s.Runs.Done, s.Runs.Unusable, s.Runs.Left, s.Runs.Repeated
	}
	if told.Ended {
		told.ExitCode, told.Verdict = follow.JudgeSuite(suite)
	}
	return told
}

func show(to io.Writer, told *Status) error {
	err := output.Columns(to, []string{"SUITE", "PHASE", "COMBINATIONS", "TRIALS", "DONE", "NOT VALID", "REPEATED", "LEFT", "RUNNING", "TIME LEFT"}, [][]string{{
		told.Name, told.Phase, fmt.Sprint(told.Combinations), fmt.Sprint(told.Total), fmt.Sprint(told.Done), fmt.Sprint(told.Unusable),
		fmt.Sprint(told.Repeated), fmt.Sprint(told.Left), told.Running, told.TimeLeft,
	}})
	for _, line := range told.Verdict {
		fmt.Fprintln(to, line)
	}
	return err
}
