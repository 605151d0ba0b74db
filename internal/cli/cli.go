// Package cli is kubectl kvbench. It has a folder for each verb.
package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/baseline"
	"github.com/kvbench/kvbench/internal/cli/compare"
	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/get"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/list"
	"github.com/kvbench/kvbench/internal/cli/open"
	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/cli/remove"
	"github.com/kvbench/kvbench/internal/cli/report"
	"github.com/kvbench/kvbench/internal/cli/run"
	"github.com/kvbench/kvbench/internal/cli/suite"
	"github.com/kvbench/kvbench/internal/cli/version"
)

// Command has all verbs. Its error has a code of the package exit.
func Command(in io.Reader, out, err io.Writer) *cobra.Command {
	e := &env.Env{Flags: kube.NewFlags(), In: in, Out: out, Err: err}
	e.Flags.Progress = err
	cmd := &cobra.Command{
		Use:   "kubectl-kvbench",
		Short: "Benchmark distributed key-value stores in a cluster",
		Long: `kubectl kvbench runs benchmarks of distributed key-value stores in a cluster that has kvbench, and shows what they found.

Exit codes: 0 all is well; 1 a run failed, or an objective isn't kept; 2 wrong usage, or the cluster can't be reached or
refuses; 3 the numbers are not valid, or don't decide; 130 interrupted.`,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl kvbench"},
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.SetIn(in)
	cmd.SetOut(out)
	cmd.SetErr(err)
	e.Flags.Add(cmd.PersistentFlags())
	cmd.AddCommand(
		run.Command(e), list.Command(e), get.Command(e), report.Command(e), compare.Command(e), suite.Command(e), baseline.Command(e),
		remove.CancelCommand(e), remove.DeleteCommand(e), open.Command(e), version.Command(e),
	)
	completeFormats(cmd)
	return cmd
}

// completeFormats has shells suggest the values of --output, which differ from verb to verb.
func completeFormats(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		completeFormats(below)
	}
	flag := cmd.Flags().Lookup("output")
	if flag == nil {
		return
	}
	if out, is := flag.Value.(*output.Flag); is {
		// Its error is that of a flag that there isn't.
		_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(out.Formats(), cobra.ShellCompDirectiveNoFileComp))
	}
}
