package findings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// fiveMinutes is the document of a run of five minutes, with a fault.
func fiveMinutes(b *testing.B) []byte {
	b.Helper()
	made := runReport(1000, 2000)
	w := &made.Workloads[0]
	for second := range int64(300) {
		w.Series = append(w.Series, report.Second{Second: second, Phase: report.PhaseMeasurement, Intended: 1000, OK: 1000, P50Micros: ptr.To[int64](500), P99Micros: ptr.To[int64](2000)})
	}
	w.Operations = append(w.Operations, report.Operation{Operation: "UPDATE", Outcome: "ok", Count: 9, ResponseTime: &report.Latency{P50Micros: 1}})
	made.Faults = []report.Fault{{Name: "kill", Workload: "a", OutageMicros: ptr.To[int64](1_000_000)}}
	document, err := made.JSON()
	if err != nil {
		b.Fatal(err)
	}
	return document
}

// BenchmarkComputeOfAThousandRuns reads and compares 1,000 reports: eight values of an axis in 125 blocks.
func BenchmarkComputeOfAThousandRuns(b *testing.B) {
	document := fiveMinutes(b)
	const values, blocks = 8, 125
	m := &manifest.Manifest{Format: manifest.Format, Blocks: blocks, Axes: []manifest.Axis{{Name: "a"}}}
	for i := range values {
		m.Axes[0].Values = append(m.Axes[0].Values, fmt.Sprint(i))
		m.Combinations = append(m.Combinations, []manifest.Label{{Axis: "a", Value: fmt.Sprint(i)}})
	}
	for i := range values * blocks {
		m.Trials = append(m.Trials, manifest.Trial{Block: i / values, Combination: i % values, Attempts: []manifest.Attempt{{UID: "u", Outcome: manifest.Valid}}})
	}
	for b.Loop() {
		_, err := Compute(m, nil, func(string, string) (*Run, error) {
			made := &report.Report{}
			if err := json.NewDecoder(bytes.NewReader(document)).Decode(made); err != nil {
				return nil, err
			}
			return RunOf(made, ""), nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(document)), "bytes/report")
}
