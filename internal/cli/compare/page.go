package compare

import (
	"context"
	"io"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/compare/comparison"
	"github.com/kvbench/kvbench/internal/cli/compare/render"
	"github.com/kvbench/kvbench/internal/cli/compare/source"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/report/page"
)

// Entries compares runs and suites that were found, the first one with the others: for a page.
func Entries(ctx context.Context, cluster *kube.Cluster, results *kube.Results, entries []*inventory.Entry) (*page.Compared, error) {
	g := &gatherer{cluster: cluster, server: results, results: results, charts: true}
	var sources []*source.Source
	for _, entry := range entries {
		s, err := g.entry(ctx, entry.Reference(), entry)
		if err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	question, err := (&flags{}).question()
	if err != nil {
		return nil, err
	}
	made, err := comparison.Compare(sources, question)
	if err != nil {
		return nil, err
	}
	return sidesOf(made, sources), nil
}

// writePage writes the comparison as a page.
func writePage(to io.Writer, made *comparison.Document, sources []*source.Source) error {
	document, err := page.Comparison(sidesOf(made, sources))
	if err != nil {
		return err
	}
	_, err = to.Write(document)
	return err
}

// sidesOf is a comparison with the reports and the charts of runs.
func sidesOf(made *comparison.Document, sources []*source.Source) *page.Compared {
	var others []string
	for i := range made.Compared {
		others = append(others, made.Compared[i].Argument)
	}
	c := &page.Compared{Title: strings.Join(others, ", ") + " against " + made.Base.Argument, Summary: render.Summary(made), Caution: render.Caution(made), Comparison: made}
	for _, s := range sources {
		c.Sides = append(c.Sides, page.Side{Report: s.Report, Charts: s.Charts})
	}
	return c
}
