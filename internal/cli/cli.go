// Package cli is kubectl kvbench. It has a folder for each verb.
package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/baseline"
	"github.com/kvbench/kvbench/internal/cli/compare"
	"github.com/kvbench/kvbench/internal/cli/doctor"
	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/export"
	"github.com/kvbench/kvbench/internal/cli/get"
	"github.com/kvbench/kvbench/internal/cli/imports"
	"github.com/kvbench/kvbench/internal/cli/initialize"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/list"
	"github.com/kvbench/kvbench/internal/cli/logs"
	"github.com/kvbench/kvbench/internal/cli/open"
	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/cli/remove"
	"github.com/kvbench/kvbench/internal/cli/report"
	"github.com/kvbench/kvbench/internal/cli/run"
	"github.com/kvbench/kvbench/internal/cli/suite"
	"github.com/kvbench/kvbench/internal/cli/validate"
	"github.com/kvbench/kvbench/internal/cli/version"
	"github.com/kvbench/kvbench/internal/cli/watch"
)

// Command has all verbs. Its error has a code of the package exit.
func Command(in io.Reader, out, err io.Writer) *cobra.Command {
	e := &env.Env{Flags: kube.NewFlags(), In: in, Out: out, Err: err}
	e.Flags.Progress = err
	cmd := &cobra.Command{
		Use:   "kubectl-kvbench",
		Short: "Benchmark distributed key-value stores in a cluster",
		Long: `kubectl kvbench runs benchmarks of distributed key-value stores in a cluster that has kvbench, and shows what they found.

Exit codes: 0 all is well; 1 a run failed, an objective isn't kept, a file is refused, or the cluster lacks something; 2 wrong
usage, or the cluster can't be reached or refuses; 3 the numbers are not valid, don't decide, or aren't known; 130 interrupted.`,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl kvbench"},
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.SetIn(in)
	cmd.SetOut(out)
	cmd.SetErr(err)
	e.Flags.Add(cmd.PersistentFlags())
	cmd.AddCommand(
		initialize.Command(e), validate.Command(e), run.Command(e), watch.Command(e), logs.Command(e), remove.CancelCommand(e), remove.DeleteCommand(e),
		list.Command(e), get.Command(e), report.Command(e), open.Command(e), suite.Command(e),
		compare.Command(e), baseline.Command(e), export.Command(e), imports.Command(e),
		doctor.Command(e), version.Command(e),
	)
	completeFormats(cmd)
	explainArguments(cmd)
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
