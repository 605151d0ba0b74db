package baseline

import (
	"fmt"
	"io"

	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/cli/printable"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// write writes the document of a baseline. As JSON it is the server's, with escapes for what a terminal would obey.
func write(to io.Writer, document []byte, out *output.Flag) error {
	if out.Format == output.JSON {
		_, err := to.Write(printable.JSON(document))
		return err
	}
	kept, err := findings.ReadBaseline(document)
	if err != nil {
		return fmt.Errorf("reading the baseline, maybe of another version (see kubectl kvbench version): %w", err)
	}
	return out.Print(to, kept, func(w io.Writer) error { return show(w, kept) })
}

// show prints a line for each figure of each combination, with the range of its valid trials.
func show(to io.Writer, kept *findings.Baseline) error {
	fmt.Fprintf(to, "What the suite %s of the namespace %s found:\n\n", printable.Line(kept.Suite.Name), printable.Line(kept.Suite.Namespace))
	var rows [][]string
	for _, c := range kept.Combinations {
		for _, m := range c.Metrics {
			lowest, highest := ends(m.Values)
			rows = append(rows, []string{manifest.NameOf(c.Labels), m.String(), text(lowest, m.Unit), text(highest, m.Unit), fmt.Sprint(len(m.Values))})
		}
	}
	return output.Columns(to, []string{"COMBINATION", "FIGURE", "LOWEST", "HIGHEST", "TRIALS"}, rows)
}

// ends are nil where there is no value. A value that is a lower bound may be the highest one, however small it is.
func ends(values []findings.Value) (lowest, highest *findings.Value) {
	if len(values) == 0 {
		return nil, nil
	}
	low, high := values[0], values[0]
	for _, v := range values[1:] {
		if v.Value < low.Value {
			low = v
		}
		high = findings.Value{Value: max(high.Value, v.Value), Censored: high.Censored || v.Censored}
	}
	return &low, &high
}

func text(v *findings.Value, unit string) string {
	switch {
	case v == nil:
		return ""
	case v.Censored:
		return "≥ " + figures.Text(v.Value, unit)
	}
	return figures.Text(v.Value, unit)
}
