package stats

import (
	"math"
	"slices"
	"testing"
)

func TestAGateOpensWhereAllBoundsAreKept(t *testing.T) {
	times := func(factor float64) []float64 {
		var figures []float64
		for i := range 12 {
			figures = append(figures, factor*(100+float64(i)+float64(i*i%5)/10))
		}
		return figures
	}
	noisy := []float64{80, 130, 90, 120, 70, 140, 100, 101, 75, 135, 99, 104}
	latency := func(subject []float64) Metric {
		return Metric{Name: "p99", Subject: subject, Baseline: times(1), Bound: 1.05}
	}
	throughput := func(subject []float64) Metric {
		return Metric{Name: "throughput", Subject: subject, Baseline: times(1), Bound: 0.95, HigherIsBetter: true}
	}
	for name, c := range map[string]struct {
		metrics []Metric
		want    []Verdict
		gate    Verdict
	}{
		"the same":                        {[]Metric{latency(times(1)), throughput(times(1))}, []Verdict{Passed, Passed}, Passed},
		"slower, within the bound":        {[]Metric{latency(times(1.04)), throughput(times(0.96))}, []Verdict{Passed, Passed}, Passed},
		"slower, beyond it":               {[]Metric{latency(times(1.06)), throughput(times(0.94))}, []Verdict{Failed, Failed}, Failed},
		"better":                          {[]Metric{latency(times(0.5)), throughput(times(2))}, []Verdict{Passed, Passed}, Passed},
		"one of two is worse":             {[]Metric{latency(times(1)), throughput(times(0.9))}, []Verdict{Passed, Failed}, Failed},
		"one of two can't be told":        {[]Metric{latency(noisy), throughput(times(1))}, []Verdict{Unknown, Passed}, Unknown},
		"as bad as the bound":             {[]Metric{latency(times(1.05))}, []Verdict{Unknown}, Unknown},
		"two trials prove nothing":        {[]Metric{{Name: "p99", Subject: []float64{9, 9}, Baseline: []float64{1, 1}, Bound: 1}}, []Verdict{Unknown}, Unknown},
		"a failed one and an unknown one": {[]Metric{latency(noisy), throughput(times(0.9))}, []Verdict{Unknown, Failed}, Failed},
	} {
		t.Run(name, func(t *testing.T) {
			judged, gate, err := Judge(c.metrics, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			var verdicts []Verdict
			for _, judgement := range judged {
				verdicts = append(verdicts, judgement.Verdict)
			}
			if !slices.Equal(verdicts, c.want) || gate != c.gate {
				t.Errorf("%v and %v, want %v and %v: %+v", verdicts, gate, c.want, c.gate, judged)
			}
		})
	}
}

// The verdict of one metric is what its interval shows.
func TestAVerdictIsWhereTheIntervalIs(t *testing.T) {
	random := seeded(5)
	for range 2000 {
		metric := simulated(random, 6+random.IntN(20), 0.05*random.NormFloat64(), 0.05)
		metric.Bound = 1 + 0.05*random.Float64()
		if metric.HigherIsBetter = random.IntN(2) == 0; metric.HigherIsBetter {
			metric.Bound = 1 / metric.Bound
		}
		judged, _, err := Judge([]Metric{metric}, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		interval, bound, want := judged[0].Ratio.Interval, metric.Bound, Unknown
		within, beyond := interval.High < bound, interval.Low > bound
		if metric.HigherIsBetter {
			within, beyond = interval.Low > bound, interval.High < bound
		}
		switch {
		case within:
			want = Passed
		case beyond:
			want = Failed
		}
		if judged[0].Verdict != want {
			t.Fatalf("%s, want %s: %+v with the bound %v", judged[0].Verdict, want, interval, bound)
		}
	}
}

func TestHolmRejectsByTurns(t *testing.T) {
	for _, c := range []struct {
		p    []float64
		want []int
	}{
		{[]float64{0.01}, []int{0}},
		{[]float64{0.06}, nil},
		{[]float64{0.04, 0.01}, []int{1, 0}},           // 0.01 ≤ 0.05/2, then 0.04 ≤ 0.05
		{[]float64{0.03, 0.04}, nil},                   // 0.03 > 0.05/2
		{[]float64{0.001, 0.03, 0.02}, []int{0, 2, 1}}, // 0.02 ≤ 0.05/2, then 0.03 ≤ 0.05
		{[]float64{0.001, 0.03, 0.03}, []int{0}},
	} {
		if got := holm(c.p, 0.05); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.p, got, c.want)
		}
	}
}

func TestLooksArePlanned(t *testing.T) {
	for _, c := range []struct {
		least, most int
		want        []int
		each        float64
	}{
		{8, 24, []int{8, 12, 18, 24}, 0.9875}, {8, 8, []int{8}, 0.95}, {6, 6, []int{6}, 0.95}, {7, 10, []int{7, 10}, 0.975},
		{5, 5, nil, 0},  // 2/2^5 is above 0.05
		{6, 10, nil, 0}, // 2/2^6 is above 0.05/3
		{8, 7, nil, 0},
	} {
		looks, each, err := Looks(c.least, c.most, 0.95)
		if !slices.Equal(looks, c.want) || math.Abs(each-c.each) > 1e-12 || (err != nil) != (c.want == nil) {
			t.Errorf("%d to %d: %v, %v, %v", c.least, c.most, looks, each, err)
		}
	}
}

func TestBoundsWithoutMeaningAreRefused(t *testing.T) {
	good := Metric{Name: "p99", Subject: []float64{1}, Baseline: []float64{1}, Bound: 1}
	for name, change := range map[string]func(*Metric){
		"a bound of zero":    func(m *Metric) { m.Bound = 0 },
		"a bound of nothing": func(m *Metric) { m.Bound = math.NaN() },
		"pairs that aren't":  func(m *Metric) { m.Baseline = nil },
		"a figure of zero":   func(m *Metric) { m.Subject = []float64{0} },
	} {
		metric := good
		change(&metric)
		if _, gate, err := Judge([]Metric{metric}, 0.95); err == nil || gate != Unknown {
			t.Errorf("%s: %v, %v", name, gate, err)
		}
	}
	if _, _, err := Judge(nil, 0.95); err == nil {
		t.Error("a gate of nothing: no error")
	}
}
