// Package imports is the verb that takes results of other benchmark tools. They become documents that kubectl kvbench compare
// takes beside reports.
package imports

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/imported"
)

// options are the flags.
type options struct {
	said   said
	folder string
	output *output.Flag
}

// Command imports files.
func Command(e *env.Env) *cobra.Command {
	o := &options{output: output.NewFlag()}
	o.output.Format = output.JSON
	cmd := &cobra.Command{
		Use:   "import FILE ...",
		Short: "Take old results of other benchmark tools, to compare them with new ones",
		Long: `import reads what another tool printed, and makes a document of it that compare takes beside reports. It needs no cluster.

The tools are:
  ycsb             YCSB for Java: its text, and the JSON of both exporters; an export of kvbench too
  go-ycsb          with outputstyle=plain
  memtier          memtier_benchmark: its table, and the file of --json-out-file
  redis-benchmark  its text, --csv and -q
  k6               its summary at the end, the file of --summary-export, and the data of handleSummary as JSON

import finds out whose output a file is. It takes the figures as they stand, and converts latencies to microseconds. What
the tool doesn't tell stays unknown. Above all, nobody knows whether the numbers are valid: a gate on them is always unknown.

A file has the output of one run. What spoils figures is remarked, such as iterations that k6 dropped, and compare says it.

Names are the tool's own. To compare them with those of a run, give them its names with --workload and --operation.
An output of YCSB doesn't tell whether its latencies are service or response times. If you know, say so with --time.
Without a target rate YCSB's Intended latencies are service times too: --time service leaves them out.`,
		Example: `  kubectl kvbench import ycsb.txt > old.json
  kubectl kvbench import redis-benchmark.csv --operation GET=READ --operation SET=UPDATE > old.json
  kubectl kvbench import results/*.txt --dir imported/
  kubectl kvbench import k6-summary.json -o table
  kubectl kvbench import ycsb.txt --time service > old.json && kubectl kvbench compare ./old.json run/first`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return o.do(e, args)
		},
	}
	o.output.Add(cmd.Flags())
	flags := cmd.Flags()
	flags.StringVar(&o.said.tool, "tool", "", "whose output it is: "+strings.Join(imported.Tools, ", ")+" (default: import finds out)")
	flags.StringVar(&o.said.workload, "workload", "", "name of the workload (default: the file's name without its ending)")
	flags.StringArrayVar(&o.said.operations, "operation", nil, "other name of an operation, such as GET=READ; may be repeated")
	flags.StringVar(&o.said.time, "time", "", "what latencies are of which the output doesn't tell it (service leaves out Intended latencies): "+imported.Service+" or "+imported.Response)
	flags.StringVar(&o.folder, "dir", "", "folder to write a document for each file to (default: standard output)")
	for flag, values := range map[string][]string{"tool": imported.Tools, "time": {imported.Service, imported.Response}} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	}
	return cmd
}

// do reads all files before it writes anything.
func (o *options) do(e *env.Env, files []string) error {
	renames, err := o.said.check()
	if err != nil {
		return err
	}
	if o.folder == "" && len(files) > 1 && o.output.Format != output.Table {
		return errors.New("these are several documents: name a folder for them with --dir DIR, or look at them with -o table")
	}
	if o.folder != "" && o.output.Format != output.JSON {
		return fmt.Errorf("--dir takes JSON alone, which compare reads: leave out -o %s", o.output.Format)
	}
	r := &reader{in: e.In, said: &o.said, renames: renames, now: time.Now().UTC()}
	documents, err := r.all(files)
	if err != nil {
		return err
	}
	if o.folder != "" {
		return writeAll(e.Err, o.folder, files, documents)
	}
	return o.output.Print(e.Out, documents[0], tables(documents))
}
