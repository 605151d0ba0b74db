package compare

import (
	"io"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/compare/comparison"
	"github.com/kvbench/kvbench/internal/cli/compare/render"
	"github.com/kvbench/kvbench/internal/cli/compare/source"
	"github.com/kvbench/kvbench/internal/report/page"
)

// writePage writes the comparison as a page, with the reports and the charts of runs.
func writePage(to io.Writer, made *comparison.Document, sources []*source.Source) error {
	var others []string
	for i := range made.Compared {
		others = append(others, made.Compared[i].Argument)
	}
	c := &page.Compared{Title: strings.Join(others, ", ") + " against " + made.Base.Argument, Summary: render.Summary(made), Caution: render.Caution(made), Comparison: made}
	for _, s := range sources {
		c.Sides = append(c.Sides, page.Side{Report: s.Report, Charts: s.Charts})
	}
	document, err := page.Comparison(c)
	if err != nil {
		return err
	}
	_, err = to.Write(document)
	return err
}
