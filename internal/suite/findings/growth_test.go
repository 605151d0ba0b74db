package findings

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/stats"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// growing is a suite of so many blocks of two stores with these numbers of nodes.
func growing(blocks int, nodes ...string) *manifest.Manifest {
	m := suiteOf(0)
	m.Blocks, m.Compare.Growth = blocks, "nodes"
	m.Axes = append(m.Axes, manifest.Axis{Name: "nodes", Values: nodes, Fields: []string{"/store/nodes"}})
	m.Axes[0].Fields = []string{"/store"}
	m.Combinations = nil
	for _, store := range m.Axes[0].Values {
		for _, n := range nodes {
			m.Combinations = append(m.Combinations, []manifest.Label{{Axis: "store", Value: store}, {Axis: "nodes", Value: n}})
		}
	}
	for block := range blocks {
		for combination := range m.Combinations {
			uid := fmt.Sprintf("b%dc%d", block, combination)
			m.Trials = append(m.Trials, manifest.Trial{Block: block, Combination: combination, Attempts: []manifest.Attempt{{Run: uid, UID: uid, Outcome: manifest.Valid}}})
		}
	}
	return m
}

// ofLaw are closed loops whose throughput grows by a law, and varies by 1 % from block to block. The second store has half of it.
func ofLaw(law stats.Scalability, nodes ...float64) func(block, combination int) *report.Report {
	return func(block, combination int) *report.Report {
		n := nodes[combination%len(nodes)]
		varied := 1 + 0.01*float64((block*5+combination*3)%7-3)/3
		made := runReport(law.At(n)*varied/float64(1+combination/len(nodes)), 1000)
		made.Workloads[0].Operations[0].ResponseTime = nil
		return made
	}
}

func TestASuiteSaysHowTheThroughputGrows(t *testing.T) {
	law := stats.Scalability{Lambda: 1000, Sigma: 0.1, Kappa: 0.01}
	r := must(t, growing(8, "1", "3", "5", "7", "9"), runsBy(ofLaw(law, 1, 3, 5, 7, 9)))
	if len(r.Growth) != 2 {
		t.Fatalf("%+v", r.Growth)
	}
	for i, g := range r.Growth {
		if g.Law == nil || g.Why != "" || len(g.Sizes) != 5 || g.With[0].Value != r.Axes[0].Values[i] {
			t.Fatalf("%+v", g)
		}
		near := func(what string, p Parameter, want, part float64) {
			if math.Abs(p.Value-want) > part*want || p.Low == nil || !(*p.Low <= want && want <= *p.High) {
				t.Errorf("%s of %v is %+v, want %g", what, g.With, p, want)
			}
		}
		near("λ", g.Law.Lambda, law.Lambda/float64(1+i), 0.02)
		near("σ", g.Law.Sigma, law.Sigma, 0.2)
		near("κ", g.Law.Kappa, law.Kappa, 0.2)
		if g.Law.Peak == nil || math.Abs(*g.Law.Peak-law.Peak()) > 1 {
			t.Errorf("the peak is at %v, want %g", g.Law.Peak, law.Peak())
		}
		if s := g.Sizes[1]; s.N != 3 || s.Trials != 8 || s.Residual == nil || math.Abs(*s.Residual) > 0.01 {
			t.Errorf("%+v", s)
		}
	}
	fits(t, "suite.schema.json", r.JSON)
	again := must(t, growing(8, "1", "3", "5", "7", "9"), runsBy(ofLaw(law, 1, 3, 5, 7, 9)))
	if *again.Growth[1].Law.Sigma.Low != *r.Growth[1].Law.Sigma.Low {
		t.Error("the same trials give another interval")
	}
}

func TestWhatHasNoLawOfGrowth(t *testing.T) {
	law := stats.Scalability{Lambda: 1000, Sigma: 0.1}
	five := []string{"1", "3", "5", "7", "9"}
	closed := ofLaw(law, 1, 3, 5, 7, 9)
	change := func(do func(made *report.Report, combination int)) func(block, combination int) *report.Report {
		return func(block, combination int) *report.Report {
			made := closed(block, combination)
			do(made, combination)
			return made
		}
	}
	for want, c := range map[string]struct {
		m    *manifest.Manifest
		runs func(block, combination int) *report.Report
	}{
		"an open loop that the store kept up with": {growing(6, five...), change(func(made *report.Report, _ int) {
			made.Workloads[0].Operations[0].ResponseTime = &report.Latency{P99Micros: 5}
		})},
		"store=etcd, nodes=5 has no valid throughput": {failing(growing(2, five...), 2, 0, 1), closed},
		"store=etcd, nodes=3 has a throughput of 0": {growing(2, five...), change(func(made *report.Report, combination int) {
			if combination == 1 {
				made.Workloads[0].Throughput = 0
			}
		})},
		"not comparable: /store/version is new, and not set": {growing(2, five...), change(func(made *report.Report, combination int) {
			if combination == 4 {
				made.Store.Version = "new"
			}
		})},
		"an open loop that the store kept up with: its throughput": {growing(3, five...), func(block, combination int) *report.Report {
			made := closed(block, combination)
			made.Workloads[0].Operations[0].ResponseTime = &report.Latency{P99Micros: 5}
			made.Workloads[0].Saturated = block == 1 // one of three
			return made
		}},
		"its trials are not alike: /store/version is new": {growing(2, five...), func(block, combination int) *report.Report {
			made := closed(block, combination)
			if block == 1 && combination == 2 {
				made.Store.Version = "new"
			}
			return made
		}},
		"4 sizes are too few: it takes 5": {growing(2, "1", "3", "5", "7"), ofLaw(law, 1, 3, 5, 7)},
	} {
		r := must(t, c.m, runsBy(c.runs))
		if g := r.Growth[0]; g.Law != nil || !strings.Contains(g.Why, want) {
			t.Errorf("%+v, want %s", g, want)
		}
		fits(t, "suite.schema.json", r.JSON)
	}
	// Of an axis whose runs were never looked at together.
	apart := failing(failing(growing(4, five...), 0, 2, 3), 4, 0, 1)
	if g := must(t, apart, runsBy(func(block, combination int) *report.Report {
		made := closed(block, combination)
		if block > 1 {
			made.Store.Version = "new"
		}
		return made
	})).Growth[0]; g.Law != nil {
		t.Errorf("of versions that were never in one block: %+v", g)
	}
	saturated := must(t, growing(2, five...), runsBy(change(func(made *report.Report, _ int) {
		made.Workloads[0].Operations[0].ResponseTime, made.Workloads[0].Saturated = &report.Latency{P99Micros: 5}, true
	})))
	if g := saturated.Growth[0]; g.Law == nil {
		t.Errorf("of an open loop that the store never kept up with: %+v", g)
	}
	// Without an interval there is a law all the same.
	few := must(t, growing(2, five...), runsBy(closed))
	if g := few.Growth[0]; g.Law == nil || g.Law.Lambda.Low != nil || math.Abs(g.Law.Lambda.Value-1000) > 30 {
		t.Errorf("of two trials: %+v", g)
	}
	if r := must(t, suiteOf(2), runsBy(twice)); r.Growth != nil {
		t.Errorf("without asking: %+v", r.Growth)
	}
}
