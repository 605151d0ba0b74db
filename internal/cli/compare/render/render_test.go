package render

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/compare/comparetest"
	"github.com/kvbench/kvbench/internal/cli/compare/comparison"
	"github.com/kvbench/kvbench/internal/cli/compare/source"
	"github.com/kvbench/kvbench/internal/imported"
	"github.com/kvbench/kvbench/internal/report"
)

func read(t *testing.T, argument string, document []byte) *source.Source {
	t.Helper()
	s, err := source.Read(argument, document)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// documents are a gate of two suites, of which one has become slower; and two runs of different versions, which are refused and
// then accepted; and another tool's figures.
func documents(t *testing.T) map[string]*comparison.Document {
	t.Helper()
	stores := []string{"etcd", "redis"}
	_, base := comparetest.Suite{Name: "main", Stores: stores, Blocks: 8}.Documents(t)
	_, other := comparetest.Suite{Name: "new", Stores: append(stores, "valkey"), Blocks: 8, Factor: func(store string, _ int) float64 {
		if store == "redis" {
			return 0.8
		}
		return 1.1
	}}.Documents(t)
	older := read(t, "run/old", comparetest.Run(t, "old", 1, func(r *report.Report) { r.Store.Version = "3.5" }))
	newer := read(t, "run/new", comparetest.Run(t, "new", 1.25))
	all := map[string]*comparison.Document{}
	for name, c := range map[string]struct {
		sources []*source.Source
		q       comparison.Question
	}{
		"gate":     {[]*source.Source{read(t, "baseline/main", base), read(t, "suite/new", other)}, comparison.Question{Metrics: []string{"throughput", "p99"}, Margin: 0.05}},
		"refused":  {[]*source.Source{older, newer}, comparison.Question{Margin: 0.05}},
		"accepted": {[]*source.Source{older, newer}, comparison.Question{Despite: []string{"/store/version"}}},
		"unpaired": {[]*source.Source{read(t, "baseline/main", base), newer}, comparison.Question{}},
		"imported": {[]*source.Source{read(t, "old.json", comparetest.Imported(t, imported.Response, 0.5)), newer}, comparison.Question{Margin: 0.05}},
	} {
		d, err := comparison.Compare(c.sources, &c.q)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = d
	}
	return all
}

// Each file of testdata is what was once written of a document. Who changes what is written looks at it, and writes it anew.
func TestComparisonsAreWrittenAsTheyWere(t *testing.T) {
	for name, d := range documents(t) {
		var table, coloured, commas bytes.Buffer
		if err := Table(&table, d, false); err != nil {
			t.Fatal(err)
		}
		if err := Table(&coloured, d, true); err != nil {
			t.Fatal(err)
		}
		if err := CSV(&commas, d); err != nil {
			t.Fatal(err)
		}
		cases, err := JUnit(d)
		if err != nil {
			t.Fatal(err)
		}
		written := map[string][]byte{".txt": table.Bytes(), ".md": []byte(Markdown(d)), ".csv": commas.Bytes(), ".xml": cases, ".json": comparetest.JSON(t, d)}
		if name == "gate" {
			written[".colours.txt"] = coloured.Bytes()
		}
		for ending, got := range written {
			path := filepath.Join("testdata", name+ending)
			want, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %v\n%s\nwant\n%s", path, err, got, want)
			}
		}
	}
}

func TestEachLineOfTheCSVHasAllColumns(t *testing.T) {
	for name, d := range documents(t) {
		var text bytes.Buffer
		if err := CSV(&text, d); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(&text).ReadAll()
		if err != nil || len(lines) < 2 {
			t.Errorf("%s: %d lines, %v", name, len(lines), err)
		}
	}
}

func TestColoursAreOfWhatIntervalsSay(t *testing.T) {
	for change, want := range map[string]string{comparison.Worse: red, comparison.Better: green, comparison.Same: "", comparison.Unknown: ""} {
		if got := coloured("x", &comparison.Figure{Change: change}); strings.TrimSuffix(got, plain) != want+"x" {
			t.Errorf("%s: %q", change, got)
		}
	}
	if got := coloured("x", &comparison.Figure{Change: comparison.Unknown, Verdict: report.VerdictFailed}); !strings.HasPrefix(got, red) {
		t.Errorf("%q", got)
	}
}

func TestTheSummaryLeadsWithTheVerdict(t *testing.T) {
	all := documents(t)
	for name, want := range map[string]string{
		"gate":     "Failed: no figure may be worse by more than 5 %. Of 6 judged figures: 3 failed, 3 passed. Without a counterpart: 1 combination.",
		"refused":  "Unknown: no figure may be worse by more than 5 %. NotComparable: 1 of 1 pair.",
		"accepted": "9 figures, and none can be told apart. One trial each: no interval, so a difference may be the machine's.",
		"unpaired": "NotComparable: 1 of 1 pair.",
		"imported": "Unknown: no figure may be worse by more than 5 %. Of 8 judged figures: 8 can't be told. " +
			"Imported: the validity of 1 of 1 pair is not known, so a difference proves nothing.",
	} {
		if got := Summary(all[name]); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}

func TestMarkdownIsSafeAgainstWhatOthersWrote(t *testing.T) {
	d := documents(t)["gate"]
	d.Compared[0].Argument, d.Compared[0].Pairs[0].Figures[0].Workload, d.Warnings = "<b>", "a|b", []string{"[x](y)"}
	text := Markdown(d)
	for _, want := range []string{"### &lt;b> against", `a\|b`, `**Warning**: \[x](y)`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
}

// Without a gate a CI system has nothing to say of imported figures.
func TestJUnitHasNoCaseOfImportedFiguresWithoutAGate(t *testing.T) {
	old := read(t, "old.json", comparetest.Imported(t, imported.Response, 0.5))
	d, err := comparison.Compare([]*source.Source{old, read(t, "run/new", comparetest.Run(t, "new", 1))}, &comparison.Question{})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := JUnit(d); err != nil || strings.Contains(string(text), "<testcase") {
		t.Errorf("%v\n%s", err, text)
	}
}
