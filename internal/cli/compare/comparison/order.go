package comparison

import (
	"cmp"
	"math"
	"slices"

	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/report"
)

// changeOf says what the whole interval of the ratio says.
func changeOf(f *Figure) string {
	low, high := f.Ratio.Low, f.Ratio.High
	if low == nil || high == nil {
		return Unknown
	}
	switch {
	case *low > 1 && f.HigherIsBetter, *high < 1 && !f.HigherIsBetter:
		return Better
	case *high < 1 && f.HigherIsBetter, *low > 1 && !f.HigherIsBetter:
		return Worse
	}
	return Same
}

// CompareFigures puts the worse of two figures first: by the verdict, by the change, and then by the ratio. Figures without a
// ratio come last.
func CompareFigures(a, b *Figure) int {
	return cmp.Or(
		cmp.Compare(slices.Index(verdictOrder, a.Verdict), slices.Index(verdictOrder, b.Verdict)),
		cmp.Compare(slices.Index(changeOrder, a.Change), slices.Index(changeOrder, b.Change)),
		cmp.Compare(b.badness(), a.badness()),
	)
}

var (
	verdictOrder = []string{report.VerdictFailed, report.VerdictUnknown, report.VerdictPassed, ""}
	changeOrder  = []string{Worse, Unknown, Same, Better}
)

// badness is how many times worse the figure is, as a logarithm.
func (f *Figure) badness() float64 {
	switch {
	case f.Ratio.Value == nil:
		return math.Inf(-1)
	case f.HigherIsBetter:
		return -math.Log(*f.Ratio.Value)
	}
	return math.Log(*f.Ratio.Value)
}

// ExitCode is 1 where the gate has failed, 3 where it doesn't tell or where something is not comparable, and else 0. What was
// imported alone is shown, and ends in 3 only with a gate.
func (d *Document) ExitCode() int {
	switch {
	case d.Verdict == report.VerdictFailed:
		return exit.Failed
	case d.Verdict == report.VerdictUnknown || slices.ContainsFunc(d.Compared, func(c Compared) bool { return c.unlike() }):
		return exit.Unknown
	}
	return 0
}

// unlike says that there is no pair, or one that is not comparable.
func (c *Compared) unlike() bool {
	return len(c.Pairs) == 0 || slices.ContainsFunc(c.Pairs, func(p Pair) bool { return p.Outcome == NotComparable })
}
