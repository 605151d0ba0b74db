// Package comparetest makes documents of runs and suites for tests. They are those of the golden report of a leader kill, with
// other figures.
package comparetest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/kvbench/kvbench/internal/imported"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// golden is below the root of the module.
const golden = "internal/report/compute/testdata/golden"

// Golden reads the golden report of that name.
func Golden(t testing.TB, name string) *report.Report {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		above := filepath.Dir(root)
		if above == root {
			t.Fatal("no go.mod above the test")
		}
		root = above
	}
	document, err := os.ReadFile(filepath.Join(root, golden, name, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	made := &report.Report{}
	if err := json.Unmarshal(document, made); err != nil {
		t.Fatal(err)
	}
	return made
}

// Run is the document of a valid run with a leader kill. Its throughput is so many times the golden one's, and its times and its
// outage so many times less.
func Run(t testing.TB, name string, factor float64, changes ...func(*report.Report)) []byte {
	t.Helper()
	return JSON(t, runOf(t, name, factor, changes...))
}

func runOf(t testing.TB, name string, factor float64, changes ...func(*report.Report)) *report.Report {
	t.Helper()
	made := Golden(t, "leader-kill")
	made.Run.Name, made.Run.UID = name, "uid-of-"+name
	w := &made.Workloads[0]
	w.Throughput *= factor
	for i := range w.Operations {
		for _, times := range []*report.Latency{w.Operations[i].ResponseTime, w.Operations[i].ServiceTime} {
			if times != nil {
				for _, micros := range []*int64{&times.P50Micros, &times.P95Micros, &times.P99Micros, &times.P999Micros} {
					*micros = int64(float64(*micros) / factor)
				}
			}
		}
	}
	outage := int64(float64(*made.Faults[0].OutageMicros) / factor)
	made.Faults[0].OutageMicros = &outage
	for _, change := range changes {
		change(made)
	}
	return made
}

// Suite says what the trials of a suite are.
type Suite struct {
	Name string
	// Stores are the values of the axis store. With none the suite has no axis.
	Stores []string
	Blocks int
	// UnderWay is of a suite that has not ended.
	UnderWay bool
	// Factor of a trial's figures, as Run has it. They vary by up to 1 % beside it.
	Factor func(store string, block int) float64
	// Change of a trial's report.
	Change func(store string, block int, r *report.Report)
	// Confidence is that of manifest.Manifest.
	Confidence float64
}

// Documents are suite.json and baseline.json of the suite; the second is nil where it can't be one.
func (s Suite) Documents(t testing.TB) (suite, baseline []byte) {
	t.Helper()
	m := &manifest.Manifest{
		Format: manifest.Format, Suite: manifest.Name{Namespace: "bench", Name: s.Name, UID: "uid-of-" + s.Name}, Complete: !s.UnderWay, Blocks: s.Blocks,
		Combinations: [][]manifest.Label{{}}, Confidence: s.Confidence,
	}
	if len(s.Stores) > 0 {
		m.Axes, m.Combinations = []manifest.Axis{{Name: "store", Values: s.Stores, Fields: []string{"/store"}}}, nil
		for _, store := range s.Stores {
			m.Combinations = append(m.Combinations, []manifest.Label{{Axis: "store", Value: store}})
		}
	}
	for block := range s.Blocks {
		for combination := range m.Combinations {
			uid := fmt.Sprintf("b%dc%d", block, combination)
			m.Trials = append(m.Trials, manifest.Trial{Block: block, Combination: combination, Attempts: []manifest.Attempt{{Run: uid, UID: uid, Outcome: manifest.Valid}}})
		}
	}
	found, err := findings.Compute(m, nil, func(uid, prefix string) (*findings.Run, error) {
		var block, combination int
		if _, err := fmt.Sscanf(uid, "b%dc%d", &block, &combination); err != nil {
			return nil, err
		}
		store := ""
		if len(s.Stores) > 0 {
			store = s.Stores[combination]
		}
		factor := 1 + 0.01*float64((block*5+combination*3)%7-3)/3
		if s.Factor != nil {
			factor *= s.Factor(store, block)
		}
		return findings.RunOf(runOf(t, uid, factor, func(r *report.Report) {
			if s.Change != nil {
				s.Change(store, block, r)
			}
		}), prefix), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	suite = JSON(t, found)
	if kept, err := found.Baseline(); err == nil {
		baseline = JSON(t, kept)
	}
	return suite, baseline
}

// Imported is what another tool measured of the golden run's workload, with so many times its throughput. time is of its one
// percentile, the p99 of READ.
func Imported(t testing.TB, time string, factor float64) []byte {
	t.Helper()
	throughput, p99 := 169.65*factor, 4000.0
	return JSON(t, &imported.Imported{
		Kind: imported.Kind, Format: imported.Format, Source: imported.Source{File: "old.txt", SHA256: "00"}, ImportedAt: "2027-01-15T08:00:00Z", Workload: "old",
		Measured: imported.Measured{
			Tool: imported.YCSB, Throughput: &throughput, NotKnown: []imported.NotKnown{imported.Validity}, Remarks: []string{},
			Operations: []imported.Operation{{Operation: "READ", Latencies: []imported.Latency{{Time: time, P99Micros: &p99}}}},
		},
	})
}

// JSON is a document.
func JSON(t testing.TB, value any) []byte {
	t.Helper()
	document, err := report.Document(value)
	if err != nil {
		t.Fatal(err)
	}
	return document
}
