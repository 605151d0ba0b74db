// Package export is the verb that writes a run's results in formats that other tools read.
package export

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/exit"
)

// options are the flags.
type options struct {
	format   format
	workload string
	folder   string
	uid      string
}

// Command exports one run.
func Command(e *env.Env) *cobra.Command {
	o := options{}
	cmd := &cobra.Command{
		Use:   "export NAME|FILE --format FORMAT",
		Short: "Write a run's results in formats that other tools read",
		Long: `export writes what a run measured in the format of another tool. It takes the name of a run, also of a
deleted one, or a file: a bundle (a folder or a tar archive), or a report.json for csv. The path of a file begins
with /, ./ or ../, or ends in .tar or .json. Files need no cluster.

The formats are:
  ycsb         the lines that YCSB prints: [READ], AverageLatency(us), 812.5
  ycsb-json    the same as JSON, as YCSB's JSONArrayMeasurementsExporter writes it
  hdr          an interval log of HdrHistogram, format 1.3: a row for each second and each tag, such as READ,
               READ-FAILED or Intended-READ; values are in microseconds
  csv          the report's figures, a row for each; the columns are those of kubectl kvbench report -o csv
  csv-seconds  latencies of each second, warm-up and cool-down included

In an open loop READ is the service time, and Intended-READ is the response time. Histograms of all workers
are merged without loss. The throughput is the report's: successes that ended in the measurement. YCSB's own
counts operations of any outcome. The lines of an operation have what was due in the measurement.

A document has one workload, but for csv. With --dir each workload has a file of its own.

Where the numbers of the run are not valid, the export says so: ycsb and ycsb-json in their first line
([KVBENCH], Valid, false), hdr in a comment, csv and csv-seconds in a column. The exit code is then 3.
Further lines of KVBENCH, and comments of hdr, say that response times are lower bounds, or that the store
was saturated.`,
		Example: `  kubectl kvbench export etcd-leader-kill --format ycsb
  kubectl kvbench export etcd-leader-kill --format ycsb-json --workload a > a.json
  kubectl kvbench export etcd-leader-kill --format hdr --dir histograms/
  kubectl kvbench export bundle.tar --format csv > figures.csv`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: e.CompleteNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.do(cmd.Context(), e, args[0])
		},
	}
	cmd.Flags().Var(&o.format, "format", "what to write: "+formatNames())
	cmd.Flags().StringVar(&o.workload, "workload", "", "workload of a run that has several")
	cmd.Flags().StringVar(&o.folder, "dir", "", "folder to write to (default: standard output)")
	cmd.Flags().StringVar(&o.uid, "uid", "", "UID, or its begin, of one of several with the name")
	_ = cmd.RegisterFlagCompletionFunc("format", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return formats, cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

// do exports. Whatever was written, an export of numbers that are not valid ends with the code for that.
func (o *options) do(ctx context.Context, e *env.Env, subject string) (err error) {
	if o.format == "" {
		return fmt.Errorf("name what to write with --format: %s", formatNames())
	}
	from, err := o.open(ctx, e, subject)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.close()) }()
	chosen, err := choose(from.report, o.workload)
	if err != nil {
		return err
	}
	if !o.format.table() && o.folder == "" && len(chosen) > 1 {
		return fmt.Errorf("the run has the workloads %s, and this format has one in a document: choose one with --workload, or write all to a folder with --dir DIR", names(chosen))
	}
	to := &destination{folder: o.folder, standard: e.Out}
	if err := write(to, from, o.format, chosen); err != nil {
		return err
	}
	for _, line := range told(to, o.format, from, chosen) {
		fmt.Fprintln(e.Err, line)
	}
	if !from.report.Valid {
		return exit.With(exit.Unknown, nil)
	}
	return nil
}
