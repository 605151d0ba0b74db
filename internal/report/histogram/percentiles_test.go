package histogram

import (
	"slices"
	"testing"

	"github.com/kvbench/kvbench/internal/report"
)

// HdrHistogram's readers, and YCSB, have these of the values 1 to 151.
func TestAPercentileIsTheFirstValueWithSoManyBelow(t *testing.T) {
	h := New()
	if got := Percentiles(h, 50, 99); !slices.Equal(got, []int64{0, 0}) {
		t.Errorf("of nothing: %v", got)
	}
	for micros := range int64(151) {
		if err := h.RecordValue(micros + 1); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := Percentiles(h, 99, 0, 50, 95, 99.9, 100), []int64{150, 1, 76, 144, 151, 151}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	want := report.Latency{P50Micros: 76, P95Micros: 144, P99Micros: 150, P999Micros: 151, MaxMicros: 151, MeanMicros: 76}
	if got := *Latency(h); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A library that takes the nearest rank, up or down, is one value off.
func TestAPercentileIsExactForAnyNumberOfValues(t *testing.T) {
	for _, n := range []int64{1, 2, 3, 49, 51, 99, 101, 149, 151, 999, 1001, 2047} {
		h := New()
		for micros := range n {
			if err := h.RecordValue(micros + 1); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range []int64{1, 50, 95, 99, 100} {
			if got, want := Percentile(h, float64(p)), max(1, (p*n+99)/100); got != want {
				t.Errorf("p%d of %d values is %d, want %d", p, n, got, want)
			}
		}
	}
}
