package stats

import (
	"math"
	"math/bits"
	"testing"
)

// Every way in which signs may fall, or in which ranks may be dealt, is as likely as any other.
func TestDistributionsAreThoseOfAllArrangements(t *testing.T) {
	for n := 1; n <= 10; n++ {
		signs := make([]float64, n*(n+1)/2+1)
		heads := make([]float64, n+1)
		for way := range 1 << n {
			sum := 0
			for i := range n {
				sum += (way >> i & 1) * (i + 1)
			}
			signs[sum] += math.Pow(2, -float64(n))
			heads[bits.OnesCount(uint(way))] += math.Pow(2, -float64(n))
		}
		same(t, "signed ranks", n, signedRank(n), signs)
		same(t, "coins", n, coin(n), heads)
	}
	for m := 1; m <= 5; m++ {
		for n := 1; n <= 5; n++ {
			pairs, ways := make([]float64, m*n+1), 0
			for way := range 1 << (m + n) {
				if bits.OnesCount(uint(way)) != m {
					continue
				}
				ways++
				larger, seconds := 0, 0
				for i := range m + n {
					if way>>i&1 == 0 {
						seconds++
					} else {
						larger += seconds
					}
				}
				pairs[larger]++
			}
			for i := range pairs {
				pairs[i] /= float64(ways)
			}
			same(t, "pairs", m*10+n, mannWhitney(m, n), pairs)
		}
	}
}

func same(t *testing.T, what string, n int, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s of %d: %d values, want %d", what, n, len(got), len(want))
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("%s of %d: %v at %d, want %v", what, n, got[i], i, want[i])
		}
	}
}
