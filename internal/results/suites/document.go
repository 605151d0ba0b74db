package suites

import (
	"encoding/json"
	"errors"

	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
	"github.com/kvbench/kvbench/internal/suite/render"
)

// ErrNoDocument says that suites have no document of that name.
var ErrNoDocument = errors.New("a suite has the documents suite.json, suite.md, suite.csv, verdict.json, baseline.json and junit.xml")

// Kind is the media type of a suite's document, or ErrNoDocument.
func Kind(name string) (string, error) {
	switch name {
	case "suite.json", "verdict.json", "baseline.json":
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

// ErrNotABaseline says that nothing can be compared with a suite's figures.
type ErrNotABaseline struct{ err error }

func (e *ErrNotABaseline) Error() string { return e.err.Error() }
func (e *ErrNotABaseline) Unwrap() error { return e.err }

// Document makes one of a suite's documents. baselines are those that the suite is compared with. runs gives what a run found, as
// findings.Compute asks. Its error is an *ErrNotABaseline of a baseline that makes no sense.
func Document(name string, m *manifest.Manifest, baselines map[string]*findings.Baseline, runs func(uid, prefix string) (*findings.Run, error)) ([]byte, error) {
	report, err := findings.Compute(m, baselines, runs)
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
	case "baseline.json":
		made, err := report.Baseline()
		if err != nil {
			return nil, &ErrNotABaseline{err}
		}
		return made.JSON()
	case "suite.csv":
		text, err := render.CSV(report)
		return []byte(text), err
	}
	return report.JSON()
}
