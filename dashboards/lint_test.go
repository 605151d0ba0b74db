package main

import (
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/prometheus/prometheus/promql/parser"
)

// asked is one question of a dashboard's for its data source.
type asked struct{ where, expr string }

// questions are those of a dashboard as Grafana reads it from its file.
func questions(t *testing.T, content []byte) (all []asked) {
	t.Helper()
	type panel struct {
		Title   string
		Targets []struct{ Expr string }
		Panels  []panel
	}
	var read struct {
		Panels      []panel
		Annotations struct{ List []struct{ Name, Expr string } }
	}
	if err := json.Unmarshal(content, &read); err != nil {
		t.Fatal(err)
	}
	var add func(panels []panel)
	add = func(panels []panel) {
		for _, p := range panels {
			for _, target := range p.Targets {
				all = append(all, asked{p.Title, target.Expr})
			}
			add(p.Panels)
		}
	}
	add(read.Panels)
	for _, annotation := range read.Annotations.List {
		all = append(all, asked{annotation.Name, annotation.Expr})
	}
	return all
}

// chosen are Grafana's variables, as they are when somebody looks.
var chosen = strings.NewReplacer("$__rate_interval", "4s", "$__range", "900s", "$run", "demo-4f2a", "$workload", ".*", "$after", "60", "$scrape", "1s")

// files are the dashboards, by name, as they are written.
func files(t *testing.T) map[string][]byte {
	t.Helper()
	folder := t.TempDir()
	if err := write(folder); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 5 {
		t.Fatalf("%d dashboards, %v", len(entries), err)
	}
	found := map[string][]byte{}
	for _, entry := range entries {
		content, err := os.ReadFile(folder + "/" + entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		found[entry.Name()] = content
	}
	return found
}

func TestDashboardsHaveNoFieldThatGrafanaDoesNotKnow(t *testing.T) {
	plugins.RegisterDefaultPlugins()
	for name, content := range files(t) {
		var read model
		err := read.UnmarshalJSONStrict(content)
		// The SDK returns a list without errors where nothing is wrong.
		if problems, ok := errors.AsType[cog.BuildErrors](err); err != nil && (!ok || len(problems) > 0) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A query of a metric that nothing exports would draw nothing, for ever.
func TestQueriesAreRightAndUseDocumentedMetrics(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for name, content := range files(t) {
		all := questions(t, content)
		if len(all) < 8 {
			t.Errorf("%s asks only %d questions", name, len(all))
		}
		for _, q := range all {
			for metric := range metricsOf(t, name, q) {
				if seen[metric] = true; !documented(string(page), metric) {
					t.Errorf("%s, %s: %s is no metric of docs/reference/metrics.md", name, q.where, metric)
				}
			}
		}
	}
	if len(seen) < 30 {
		t.Errorf("only %d metrics are asked for", len(seen))
	}
}

func documented(page, metric string) bool {
	for _, suffix := range []string{"", "_bucket"} {
		if name, ok := strings.CutSuffix(metric, suffix); ok && strings.Contains(page, "`"+name+"`") {
			return true
		}
	}
	return false
}

// metricsOf are the names in a query, which has to be one.
func metricsOf(t *testing.T, dashboard string, q asked) map[string]bool {
	t.Helper()
	expr := chosen.Replace(q.expr)
	if strings.Contains(expr, "$") {
		t.Errorf("%s, %s: a variable that the dashboard lacks, in %s", dashboard, q.where, expr)
		return nil
	}
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		t.Errorf("%s, %s: %v in %s", dashboard, q.where, err, expr)
		return nil
	}
	names := map[string]bool{}
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			names[selector.Name] = true
		}
		return nil
	})
	return names
}

// Each variable that a query names is one of its own dashboard's, or Grafana's own.
func TestQueriesUseTheVariablesOfTheirDashboard(t *testing.T) {
	variable := regexp.MustCompile(`\$\{?([a-z][a-z_]*)`)
	built, err := all()
	if err != nil {
		t.Fatal(err)
	}
	for uid, one := range built {
		var has []string
		for _, v := range one.Templating.List {
			has = append(has, v.Name)
		}
		content, err := json.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range questions(t, content) {
			for _, match := range variable.FindAllStringSubmatch(q.expr, -1) {
				if !slices.Contains(has, match[1]) {
					t.Errorf("%s, %s: there is no variable %s", uid, q.where, match[1])
				}
			}
		}
	}
}

func TestPanelsSayWhatTheyShowAndLieSideBySide(t *testing.T) {
	built, err := all()
	if err != nil {
		t.Fatal(err)
	}
	for uid, one := range built {
		ids, taken := map[uint32]string{}, map[[2]uint32]string{}
		check := func(p *dashboard.Panel) {
			title := *p.Title
			if p.Description == nil || *p.Description == "" {
				t.Errorf("%s: %s says nothing of itself", uid, title)
			}
			if ids[*p.Id] != "" {
				t.Errorf("%s: %s and %s have one ID", uid, ids[*p.Id], title)
			}
			ids[*p.Id] = title
			for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
				for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
					if other := taken[[2]uint32{x, y}]; other != "" || x >= 24 {
						t.Fatalf("%s: %s lies on %q, or outside", uid, title, other)
					}
					taken[[2]uint32{x, y}] = title
				}
			}
		}
		for _, p := range one.Panels {
			if p.Panel != nil {
				check(p.Panel)
				continue
			}
			for i := range p.RowPanel.Panels {
				check(&p.RowPanel.Panels[i])
			}
		}
	}
}
