// Package compare is the verb that compares runs, suites, baselines and files.
package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/compare/comparison"
	"github.com/kvbench/kvbench/internal/cli/compare/render"
	"github.com/kvbench/kvbench/internal/cli/compare/source"
	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/output"
)

// Formats beside those of all verbs.
const (
	markdown output.Format = "markdown"
	commas   output.Format = "csv"
	junit    output.Format = "junit"
	html     output.Format = "html"
)

// Command compares.
func Command(e *env.Env) *cobra.Command {
	out, flags := output.NewFlag(markdown, commas, junit, html), &flags{}
	cmd := &cobra.Command{
		Use:   "compare BASE OTHER ...",
		Short: "Compare runs, suites, baselines or files, and be a gate",
		Long: `compare says by which factor the figures of others differ from those of the first.

An argument is NAME, run/NAME, suite/NAME or baseline/NAME, or a file: report.json of a run, suite.json or baseline.json
of a suite, or what kubectl kvbench import made of another tool's output. The path of a file begins with /, ./ or ../,
or ends in .json; - is standard input. Files need no cluster.

Only what is alike is compared. If the two differ in what was run, they are NotComparable, and compare names the
differences. --despite FIELD accepts one, and what is below it, as compare.despite of a suite does. Accept as little as
you can.

Combinations of two suites are compared if they have the same labels. If each side has only one, these two are compared.
--where AXIS=VALUE leaves out others.

Ratios of suites have an interval. Where 1 is in it, the trials show no difference. Two single runs have one trial each:
their ratio has no interval and proves nothing, since a difference may be the machine's.

Nobody knows whether imported figures are valid, nor what was run. They have ratios, but never an interval, and a gate on
them is unknown.

--fail-if-worse makes a gate. Each figure must not be worse than the first one's by more than that. It has passed if the
whole interval of its ratio says so. It has failed if the whole interval says the opposite, by more than chance does among
so many figures (Holm's procedure). Else it is unknown. Errors and lost records are shown and not judged, since 0 has no
ratio. The more figures are judged, the more trials it takes: choose them with --metric and --operation.

As html it is one page with charts, which loads nothing. Runs are drawn over one time axis, aligned at their starts or at their
faults. The charts of a file report.json are in charts.json beside it, where run --keep puts them.

Exit codes: 0 compared, and the gate has passed; 1 the gate has failed; 2 wrong usage, or the cluster can't be reached;
3 the gate is unknown, or runs or suites are not comparable, not valid or under way. Imported results have no validity that could
be known: without a gate they are compared, with 0, and each figure that has no counterpart says so.`,
		Example: `  kubectl kvbench compare etcd-before etcd-after
  kubectl kvbench compare baseline/main suite/nightly --fail-if-worse 5%
  kubectl kvbench compare baseline.json suite/nightly --metric throughput,p99 --operation READ --fail-if-worse 10%
  kubectl kvbench compare suite/etcd-3.5 suite/etcd-3.6 --despite /store/version -o markdown
  kubectl kvbench compare old/report.json new/report.json -o json
  kubectl kvbench compare etcd-before etcd-after -o html --file compare.html`,
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: completeArguments(e),
		RunE: func(cmd *cobra.Command, args []string) error {
			question, err := flags.question()
			if err != nil {
				return err
			}
			g := &gatherer{env: e, charts: out.Format == html}
			defer g.close()
			sources, err := g.all(cmd.Context(), args)
			if err != nil {
				return err
			}
			made, err := comparison.Compare(sources, question)
			if err != nil {
				return err
			}
			if err := flags.toFile(e, func(to io.Writer, colours bool) error {
				if out.Format == html {
					return writePage(to, made, sources)
				}
				return write(to, made, out, colours)
			}); err != nil {
				return err
			}
			if code := made.ExitCode(); code != 0 {
				return exit.With(code, nil)
			}
			return nil
		},
	}
	out.Add(cmd.Flags())
	flags.add(cmd)
	return cmd
}

// write prints the comparison in the format that was asked for.
func write(to io.Writer, made *comparison.Document, out *output.Flag, colours bool) error {
	switch out.Format {
	case markdown:
		_, err := io.WriteString(to, render.Markdown(made))
		return err
	case commas:
		return render.CSV(to, made)
	case junit:
		document, err := render.JUnit(made)
		if err != nil {
			return err
		}
		_, err = to.Write(document)
		return err
	}
	return out.Print(to, made, func(w io.Writer) error { return render.Table(w, made, colours) })
}

// completeArguments suggests names, and files.
func completeArguments(e *env.Env) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		if reference, err := source.Parse(toComplete); err == nil && reference.File != "" {
			return nil, cobra.ShellCompDirectiveDefault
		}
		names, _ := e.CompleteNames(cmd, args, toComplete)
		names = slices.DeleteFunc(names, func(name string) bool { // what is there already has nothing to be compared with
			bare, _, _ := strings.Cut(name, "\t")
			return slices.Contains(args, bare)
		})
		return names, cobra.ShellCompDirectiveDefault
	}
}

// named is an error of an argument.
func named(argument string, err error) error {
	return fmt.Errorf("%s can't be compared: %w", argument, err)
}
