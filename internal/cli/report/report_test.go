package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/compare/comparetest"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// documents are what a results server keeps, by path.
type documents map[string]string

func (d documents) Get(_ context.Context, path string) ([]byte, error) {
	document, has := d[path]
	if !has {
		return nil, fmt.Errorf("fetching: %w", &forward.Refusal{Path: path, Reason: wire.ReasonNotFound})
	}
	return []byte(document), nil
}

func printed(t *testing.T, d documents, e *inventory.Entry, format output.Format) (text string, valid bool) {
	t.Helper()
	var out bytes.Buffer
	valid, err := Print(context.Background(), &out, d, e, format)
	if err != nil {
		t.Fatal(format, err)
	}
	return out.String(), valid
}

func TestARunsReportInEachFormat(t *testing.T) {
	run := &inventory.Entry{Kind: inventory.Run, Name: "a", UID: "7f", Reported: true}
	good := documents{"/v1/runs/7f/report.json": string(comparetest.Run(t, "a", 1)), "/v1/runs/7f/report.md": "# A report\n\n", "/v1/runs/7f/junit.xml": "<testsuites/>"}
	notValid := documents{"/v1/runs/7f/report.md": "# A report", "/v1/runs/7f/junit.xml": "<testsuites/>",
		"/v1/runs/7f/report.json": string(comparetest.Run(t, "a", 1, func(r *report.Report) { r.Valid = false }))}
	for _, c := range []struct {
		format output.Format
		want   string
	}{
		{output.Table, "Workload a:"},
		{output.JSON, `"name": "a"`},
		{output.YAML, "name: a\n"},
		{Markdown, "# A report\n"},
		{JUnit, "<testsuites/>\n"},
		{CSV, ",a,true,a,READ,,p99,response,"},
		{HTML, `"charts":null`},
	} {
		if text, valid := printed(t, good, run, c.format); !strings.Contains(text, c.want) || !valid {
			t.Errorf("%s, valid %t: no %q in %.300s", c.format, valid, c.want, text)
		}
		if _, valid := printed(t, notValid, run, c.format); valid {
			t.Errorf("as %s the numbers are called valid", c.format)
		}
	}
	good["/v1/runs/7f/charts.json"] = `{"format":1}`
	if text, _ := printed(t, good, run, HTML); !strings.Contains(text, `"charts":{"format":1}`) {
		t.Error("the page has no charts")
	}
	text, _ := printed(t, good, run, output.JSON)
	if !json.Valid([]byte(text)) {
		t.Error("no JSON")
	}
}

func TestASuitesReportInEachFormat(t *testing.T) {
	suite := &inventory.Entry{Kind: inventory.Suite, Name: "m", UID: "9", Reported: true}
	kept := documents{"/v1/suites/9/suite.md": "# Markdown", "/v1/suites/9/suite.csv": "a,b", "/v1/suites/9/junit.xml": "<x/>", "/v1/suites/9/suite.json": `{"a": 1}`}
	for format, want := range map[output.Format]string{output.Table: "# Markdown\n", Markdown: "# Markdown\n", CSV: "a,b\n", JUnit: "<x/>\n", output.JSON: "{\"a\": 1}\n", output.YAML: "a: 1\n"} {
		if text, valid := printed(t, kept, suite, format); text != want || !valid {
			t.Errorf("%s: %q", format, text)
		}
	}
	if text, valid := printed(t, kept, suite, HTML); !strings.Contains(text, `{"kind":"suite","suite":{"a":1}}`) || !valid {
		t.Errorf("the page has other data: %.300s", text)
	}
}

func TestATerminalIsNotObeyedToWhatAStoreSays(t *testing.T) {
	run := &inventory.Entry{Kind: inventory.Run, Name: "a", UID: "7f", Reported: true}
	evil := func(r *report.Report) { r.Store.Name = "et\x1b]52;c;x\u009bcd" }
	kept := documents{"/v1/runs/7f/report.json": string(comparetest.Run(t, "a", 1, evil)), "/v1/runs/7f/report.md": "| \x1b[2J |\n"}
	for _, format := range []output.Format{output.Table, output.JSON, output.YAML, Markdown} {
		if text, _ := printed(t, kept, run, format); strings.ContainsAny(text, "\x1b\u009b") {
			t.Errorf("%s: %.200q", format, text)
		}
	}
}

func TestWhatHasNoReport(t *testing.T) {
	_, err := Print(context.Background(), &bytes.Buffer{}, documents{}, &inventory.Entry{Kind: inventory.Run, Name: "a", Phase: "Running"}, output.Table)
	if err == nil || !strings.Contains(err.Error(), "run/a has no report yet: it is Running") {
		t.Error(err)
	}
	kept := documents{"/v1/runs/7f/report.json": "no JSON"}
	_, err = Print(context.Background(), &bytes.Buffer{}, kept, &inventory.Entry{Kind: inventory.Run, Name: "a", UID: "7f", Reported: true}, output.Table)
	if err == nil || !strings.Contains(err.Error(), "kubectl kvbench version") {
		t.Error(err)
	}
}
