package findings

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

func TestReportsFitTheirSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../../docs/reference/suite.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	underWay := suiteOf(2)
	underWay.Complete, underWay.Trials[3].Attempts = false, []manifest.Attempt{}
	underWay.Trials[2].Attempts = []manifest.Attempt{{Run: "r", UID: "u", Outcome: manifest.Failed, Reasons: []string{"MeasurementLost"}}}
	faulty := func(block, combination int) *report.Report {
		made := twice(block, combination)
		micros := int64(1_000_000)
		made.Workloads[0].ResponseTimeCensored = block < 5
		made.Faults = []report.Fault{{Name: "kill", Workload: "a", OutageMicros: &micros, OutageCensored: block == 0}}
		return made
	}
	searched := searchedSuite()
	shared := suiteOf(8)
	shared.Format, shared.Reuse, shared.Trials[0].Attempts[0].Prefix = manifest.FormatShared, "Store", "c1-"
	for what, r := range map[string]*Report{
		"that searched":                 must(t, searched, runsBy(twice)),
		"with shared runs":              must(t, shared, runsBy(twice)),
		"complete":                      must(t, suiteOf(8), runsBy(twice)),
		"under way":                     must(t, underWay, runsBy(twice)),
		"with objectives":               judgedOf(t, 8, nil, atMost("p99", 0.004), atLeast("throughput", 0.4, ofEtcd), atMost("outage", 1, byRun)),
		"with runs of an earlier suite": must(t, adopting(suiteOf(8), 5), runsBy(twice)),
		"with lower bounds":             must(t, suiteOf(8), runsBy(faulty)),
		"before its first run": must(t, &manifest.Manifest{Format: 1, Suite: manifest.Name{UID: "u"}, Blocks: 1,
			Axes: []manifest.Axis{}, Combinations: [][]manifest.Label{{}}, Trials: []manifest.Trial{{Attempts: []manifest.Attempt{}}}}, runsBy(twice)),
	} {
		document, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
