package suites

import (
	"encoding/json"
	"errors"

	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
	"github.com/kvbench/kvbench/internal/suite/render"
)

// ErrNoDocument says that suites have no document of that name.
var ErrNoDocument = errors.New("a suite has the documents suite.json, suite.md, suite.csv, verdict.json and junit.xml")

// Kind is the media type of a suite's document, or ErrNoDocument.
func Kind(name string) (string, error) {
	switch name {
	case "suite.json", "verdict.json":
		return "application/json", nil
	case "junit.xml":
		return "application/xml", nil
	case "suite.md":
		return "text/markdown; charset=utf-8", nil
	case "suite.csv":
		return "text/csv; charset=utf-8", nil
	}
	return "", ErrNoDocument
}

// Document makes one of a suite's documents. runs gives what a run found, by its UID; nil if its report isn't kept.
func Document(name string, m *manifest.Manifest, runs func(uid string) (*findings.Run, error)) ([]byte, error) {
	report, err := findings.Compute(m, runs)
	if err != nil {
		return nil, err
	}
	switch name {
	case "suite.md":
		return []byte(render.Markdown(report)), nil
	case "verdict.json":
		return json.Marshal(report.Short())
	case "junit.xml":
		return render.JUnit(report)
	case "suite.csv":
		text, err := render.CSV(report)
		return []byte(text), err
	}
	return report.JSON()
}
