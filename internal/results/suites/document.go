package suites

import (
	"errors"

	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
	"github.com/kvbench/kvbench/internal/suite/render"
)

// ErrNoDocument says that suites have no document of that name.
var ErrNoDocument = errors.New("a suite has the documents suite.json, suite.md and suite.csv")

// Kind is the media type of a suite's document, or ErrNoDocument.
func Kind(name string) (string, error) {
	switch name {
	case "suite.json":
		return "application/json", nil
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
	case "suite.csv":
		text, err := render.CSV(report)
		return []byte(text), err
	}
	return report.JSON()
}
