package workload

import (
	"cmp"
	"math"
	"slices"
	"testing"
)

// chiSquare compares a million draws with the expected probabilities; 5 standard
// deviations of slack make a false alarm one in a million, and the seed is fixed anyway.
func chiSquare(t *testing.T, draw func() int64, probability []float64) {
	t.Helper()
	const draws = 1_000_000
	counts := make([]float64, len(probability)+1)
	for range draws {
		counts[min(draw(), int64(len(probability)))]++
	}
	rest := 1.0
	for _, p := range probability {
		rest -= p
	}
	cells, sum := 0, 0.0
	for i, p := range append(append([]float64{}, probability...), rest) {
		expected := p * draws
		if expected < 5 {
			if counts[i] > 50 {
				t.Errorf("value %d drawn %.0f times, expected %.1f", i, counts[i], expected)
			}
			continue
		}
		cells++
		sum += (counts[i] - expected) * (counts[i] - expected) / expected
	}
	freedom := float64(cells - 1)
	if limit := freedom + 5*math.Sqrt(2*freedom) + 10; sum > limit {
		t.Errorf("chi-square %.1f with %.0f degrees of freedom, limit %.1f", sum, freedom, limit)
	}
}

// ranks are the shares of the first n ranks of a zipf, by YCSB's formula turned around:
// P(rank ≤ r) is the u at which it reaches r+1.
func (z *zipf) ranks(n int) []float64 {
	shares := make([]float64, n)
	before := 0.0
	for r := range shares {
		below := 1 / z.zeta
		switch {
		case r == 1:
			below = halfStep / z.zeta
		case r > 1:
			below = (math.Pow(float64(r+1)/float64(z.n), 1/alpha) - 1 + z.eta) / z.eta
			below = max(below, halfStep/z.zeta)
		}
		shares[r], before = below-before, below
	}
	return shares
}

// hashed are the shares of n records of ranks that are hashed to them. Those of ranks
// beyond the given ones, which are millions and rare, are even.
func hashed(ranks []float64, n int) []float64 {
	shares, rest := make([]float64, n), 1.0
	for r, share := range ranks {
		shares[uint64(Hash64(int64(r)))%uint64(n)] += share
		rest -= share
	}
	for i := range shares {
		shares[i] += rest / float64(n)
	}
	return shares
}

func TestRequestsFollowTheirDistribution(t *testing.T) {
	// The requests go by records 30 to 79 of 80, but for two laws, which go back from the
	// newest of all.
	const records, from, n = 80, 30, 50
	flat, hot := make([]float64, n), make([]float64, n)
	for i := range n {
		flat[i], hot[i] = 1.0/n, 0.8/10
		if i >= 10 {
			hot[i] = 0.2 / 40
		}
	}
	exponential, latest := make([]float64, records), make([]float64, records)
	gamma := -math.Log(1-0.95) / (records * 0.8571428571)
	z := newZipf(records - 1)
	ranks := z.ranks(records - 1)
	for i := range records {
		back := float64(records - 1 - i)
		exponential[i] = (math.Exp(-gamma*back) - math.Exp(-gamma*(back+1))) / (1 - math.Exp(-gamma*records))
		if i > 0 {
			latest[i] = ranks[records-1-i]
		}
	}
	// The range of zipfian requests is one wider than the records; the draws of that one
	// are made again.
	scrambled := newScrambledZipf()
	zipfian := hashed(scrambled.ranks(1<<20), n+1)
	for i := range n {
		zipfian[i] /= 1 - zipfian[n]
	}
	zipfian = zipfian[:n]
	for _, c := range []struct {
		kind   string
		from   int64
		shares []float64
	}{
		{Uniform, from, flat}, {Sequential, from, flat}, {Hotspot, from, hot}, {Zipfian, from, zipfian},
		{Exponential, 0, exponential}, {Latest, 0, latest},
	} {
		t.Run(c.kind, func(t *testing.T) {
			k := keyspace(t, map[string]string{"requestdistribution": c.kind},
				Share{Records: records, InsertStart: from, InsertCount: n, Seed: 7})
			requests := newChooser(k, NewRand(1, c.kind, 0))
			chiSquare(t, func() int64 {
				v := requests.next() - c.from
				if v < 0 {
					t.Fatalf("drew %d", v+c.from)
				}
				return v
			}, c.shares)
		})
	}
}

func TestKeyRangesHaveThePublishedWeights(t *testing.T) {
	const records = 1009 // some ranges have one more than others
	k := keyspace(t, map[string]string{"requestdistribution": Mixgraph}, Share{Records: records, InsertStart: 9, Seed: 7})
	m := k.mixgraph
	var want, got []float64
	var sum, before float64
	for x := 1.0; x <= 30; x++ {
		w := 14.18*math.Exp(-2.917*x) + 0.0164*math.Exp(-0.08082*x)
		want = append(want, w)
		sum += w
	}
	for _, below := range m.below {
		got = append(got, (below-before)*sum)
		before = below
	}
	shares := make([]float64, len(got))
	for i := range got {
		shares[i] = got[i] / sum
	}
	if slices.IsSortedFunc(got, func(a, b float64) int { return cmp.Compare(b, a) }) {
		t.Error("the ranges are not shuffled")
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
		t.Errorf("weights %g, want %g", got, want)
	}
	requests := newChooser(k, NewRand(1, Mixgraph, 0))
	chiSquare(t, func() int64 {
		v := requests.next() - 9
		if v < 0 || v >= records-9 {
			t.Fatalf("drew %d", v+9)
		}
		i, _ := slices.BinarySearch(m.starts, v+1)
		return int64(i - 1)
	}, shares)
}

func TestKeysOfARangeFollowThePowerLaw(t *testing.T) {
	const n = 50
	ranks := make([]float64, 1<<20)
	for r := 1; r < len(ranks); r++ {
		ranks[r] = 0.002312 * (math.Pow(float64(r), 0.3467) - math.Pow(float64(r-1), 0.3467))
	}
	flat := slices.Repeat([]float64{1.0 / n}, n)
	for name, c := range map[string]struct {
		a      string
		shares []float64
	}{"power": {"0.002312", hashed(ranks, n)}, "none": {"0", flat}} {
		t.Run(name, func(t *testing.T) {
			k := keyspace(t, map[string]string{"requestdistribution": Mixgraph, "keyrange.num": "1", "keydist.a": c.a},
				Share{Records: n, Seed: 7})
			requests := newChooser(k, NewRand(1, name, 0))
			chiSquare(t, requests.next, c.shares)
		})
	}
}

func TestLengthsFollowTheirDistribution(t *testing.T) {
	const low, n = 5, 200 // lengths 5 to 204
	z := newZipf(n)
	zipfian := z.ranks(n)
	flat := slices.Repeat([]float64{1.0 / n}, n)
	generalized := func(k, sigma float64) []float64 {
		below := func(x float64) float64 {
			if k == 0 {
				return 1 - math.Exp(-x/sigma)
			}
			return 1 - math.Pow(1+k*x/sigma, -1/k)
		}
		shares := make([]float64, n)
		for i := range shares {
			shares[i] = (below(float64(i+1)) - below(float64(i))) / below(n)
		}
		return shares
	}
	for _, c := range []struct {
		name, properties string
		draw             func(t *Thread) int64
		shares           []float64
	}{
		{"fields, uniform", "fieldlengthdistribution=uniform", (*Thread).fieldLength, flat},
		{"fields, zipfian", "fieldlengthdistribution=zipfian", (*Thread).fieldLength, zipfian},
		{"fields, pareto", "fieldlengthdistribution=pareto", (*Thread).fieldLength, generalized(0.2615, 25.45)},
		{"fields, pareto of k 0", "fieldlengthdistribution=pareto fieldlengthpareto.k=0 fieldlengthpareto.sigma=50",
			(*Thread).fieldLength, generalized(0, 50)},
		{"scans, uniform", "", func(t *Thread) int64 { return int64(t.scanLength()) }, flat},
		{"scans, zipfian", "scanlengthdistribution=zipfian", func(t *Thread) int64 { return int64(t.scanLength()) }, zipfian},
		{"scans, pareto", "scanlengthdistribution=pareto", func(t *Thread) int64 { return int64(t.scanLength()) },
			generalized(2.517, 14.236)},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := properties("minfieldlength=5 fieldlength=204 minscanlength=5 maxscanlength=204 " + c.properties)
			thread := keyspace(t, p, Share{Records: 10, Seed: 3}).NewThread(0)
			chiSquare(t, func() int64 {
				v := c.draw(thread) - low
				if v < 0 || v >= n {
					t.Fatalf("drew %d", v+low)
				}
				return v
			}, c.shares)
		})
	}
}

// Whatever parameters are taken, no draw leaves its bounds.
func TestAParetoLawStaysWithinItsBounds(t *testing.T) {
	for _, k := range []float64{0, 1e-300, 1e-9, 0.2615, 1, 100} {
		for _, sigma := range []float64{1e-9, 1, 25.45, 1e9} {
			for _, most := range []int64{1, 2, 1000, maxFieldLength} {
				p := newPareto(k, sigma, most)
				rng := NewRand(1, "", 0)
				for range 1000 {
					if x := p.next(rng); x < 1 || x > most {
						t.Fatalf("k=%g sigma=%g most=%d drew %d", k, sigma, most, x)
					}
				}
			}
		}
	}
}
