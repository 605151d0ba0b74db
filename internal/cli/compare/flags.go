package compare

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/compare/comparison"
	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/editdistance"
	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// flags are what the user wrote.
type flags struct {
	metrics, despite, where []string
	operation, worse, file  string
}

func (f *flags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.metrics, "metric", nil, "metrics to compare: "+strings.Join(metrics(), ", ")+" (default "+strings.Join(comparison.DefaultMetrics, ",")+")")
	cmd.Flags().StringVar(&f.operation, "operation", "", "compare the percentiles of this kind of operation alone, such as READ")
	cmd.Flags().StringArrayVar(&f.where, "where", nil, "compare the combinations with this value on an axis alone: AXIS=VALUE; may be repeated")
	cmd.Flags().StringArrayVar(&f.despite, "despite", nil, "field in which the two may differ, such as /store/version; may be repeated")
	cmd.Flags().StringVar(&f.worse, "fail-if-worse", "", "make a gate: by how much each figure may be worse than the first one's, such as 5%")
	cmd.Flags().StringVar(&f.file, "file", "", "write to this file in place of standard output")
	_ = cmd.RegisterFlagCompletionFunc("metric", cobra.FixedCompletions(metrics(), cobra.ShellCompDirectiveNoFileComp)) // the flag is there
}

// toFile writes to the file that the user named, whole or not at all, or else to standard output.
func (f *flags) toFile(e *env.Env, write func(to io.Writer, colours bool) error) error {
	if f.file == "" {
		return write(e.Out, e.Colours())
	}
	if err := output.File(f.file, func(to io.Writer) error { return write(to, false) }); err != nil {
		return fmt.Errorf("writing the comparison: %w", err)
	}
	fmt.Fprintf(e.Err, "The comparison is in %s.\n", f.file)
	return nil
}

// metrics are all that there are.
func metrics() []string {
	var names []string
	for _, m := range objective.Metrics {
		names = append(names, m.Name)
	}
	return names
}

// question reads the flags.
func (f *flags) question() (*comparison.Question, error) {
	q := &comparison.Question{Metrics: f.metrics, Operation: f.operation, Despite: f.despite}
	for _, text := range f.where {
		axis, value, has := strings.Cut(text, "=")
		if !has || axis == "" {
			return nil, fmt.Errorf("--where is %q: write an axis and its value, such as store=etcd", text)
		}
		q.Where = append(q.Where, manifest.Label{Axis: axis, Value: value})
	}
	for _, field := range f.despite {
		if !strings.HasPrefix(field, "/") {
			return nil, fmt.Errorf("--despite is %q: write a field as NotComparable names it, such as /store/version", field)
		}
	}
	if f.worse != "" {
		margin, err := objective.RatioBound(f.worse)
		if err != nil || margin >= 1 {
			return nil, fmt.Errorf("--fail-if-worse is %q: write a part between 0 and 100 percent, such as 5%%", f.worse)
		}
		q.Margin = margin
	}
	for _, name := range f.metrics {
		m, known := objective.Find(name)
		switch {
		case !known:
			return nil, fmt.Errorf("there is no metric %q%s", name, nearest(name))
		case !m.Ratio && q.Margin > 0:
			return nil, fmt.Errorf("--fail-if-worse can't judge %s, since 0 has no ratio to others: leave it out of --metric, and bound it by an objective of the run", name)
		}
	}
	return q, nil
}

// nearest suggests a metric that differs in a third of its letters at most.
func nearest(name string) string {
	best, distance := "", len(name)/3+1
	for _, metric := range metrics() {
		if d := editdistance.Between(name, metric); d < distance {
			best, distance = metric, d
		}
	}
	if best == "" {
		return ": there are " + strings.Join(metrics(), ", ")
	}
	return "; did you mean " + best + "?"
}
