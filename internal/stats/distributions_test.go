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

// The exact distribution and the one of many values are nearly the same where the one takes over from the other.
func TestTheDistributionOfManyPairsIsNearTheExactOne(t *testing.T) {
	for _, c := range [][2]int{{50, 50}, {25, 100}} {
		exact, normal := mannWhitney(c[0], c[1]), mannWhitneyNormal(c[0], c[1])
		for u, so, near := 0, 0.0, 0.0; u < len(exact); u++ {
			so, near = so+exact[u], near+normal[u]
			if math.Abs(so-near) > 0.002 || so > 0.02 && so < 0.03 && math.Abs(so/near-1) > 0.02 {
				t.Errorf("%v: up to %d it is %v, and nearly %v", c, u, so, near)
			}
		}
	}
	if p := mannWhitney(1000, 1000); math.Abs(upTo(p, len(p)-1)-1) > 1e-9 || p[0] < 0 {
		t.Errorf("of a million pairs the sum is %v", upTo(p, len(p)-1))
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
