package pace

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/rate"
)

func times(law Law, n int) []time.Duration {
	at := make([]time.Duration, n)
	for i := range at {
		at[i] = law.Next()
	}
	return at
}

func TestConstantWorkersTogetherKeepOnePeriod(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 7} {
		var all []time.Duration
		for worker := range workers {
			all = append(all, times(NewConstant(rate.Flat(1000), worker, workers), 1000)...)
		}
		slices.Sort(all)
		for i, at := range all {
			if want := time.Duration(i) * time.Millisecond; (at - want).Abs() > time.Nanosecond {
				t.Fatalf("%d workers: operation %d at %v, want %v", workers, i, at, want)
			}
		}
	}
}

func TestConstantDoesNotDrift(t *testing.T) {
	// A period of 1/3 ms is no whole number of nanoseconds.
	law := NewConstant(rate.Flat(3000), 0, 1)
	at := times(law, 3_000_001)
	if last := at[3_000_000]; (last - 1000*time.Second).Abs() > time.Microsecond {
		t.Errorf("operation 3,000,000 at %v, want 1000s", last)
	}
}

// The gaps of a Poisson process are exponential: the Kolmogorov–Smirnov distance of
// 100,000 gaps from that law is below 1.95/√n with a probability of 99.9 %.
func TestPoissonWorkersTogetherAreOnePoissonProcess(t *testing.T) {
	const n, perSecond = 100_000, 1000.0
	for _, workers := range []int{1, 2, 4} {
		var all []time.Duration
		for worker := range workers {
			law := NewPoisson(rate.Flat(perSecond), workers, rand.New(rand.NewPCG(7, uint64(worker))))
			all = append(all, times(law, 2*n/workers)...)
		}
		slices.Sort(all)
		all = all[:n] // every worker reaches beyond these
		gaps := make([]float64, n)
		for i := range gaps {
			gaps[i] = all[i].Seconds()
			if i > 0 {
				gaps[i] -= all[i-1].Seconds()
			}
		}
		slices.Sort(gaps)
		var distance float64
		for i, gap := range gaps {
			law := 1 - math.Exp(-perSecond*gap)
			distance = max(distance, math.Abs(law-float64(i)/n), math.Abs(law-float64(i+1)/n))
		}
		if limit := 1.95 / math.Sqrt(n); distance > limit {
			t.Errorf("%d workers: distance %.5f from the exponential law, limit %.5f", workers, distance, limit)
		}
	}
}

func TestTheSameSeedGivesTheSameTimes(t *testing.T) {
	a := times(NewPoisson(rate.Flat(100), 1, rand.New(rand.NewPCG(1, 2))), 100)
	b := times(NewPoisson(rate.Flat(100), 1, rand.New(rand.NewPCG(1, 2))), 100)
	if !slices.Equal(a, b) {
		t.Error("times differ")
	}
}

func TestAWaitEndsAfterItsTime(t *testing.T) {
	waiter := NewWaiter()
	defer waiter.Close()
	begin := time.Now()
	waiter.Sleep(-time.Second)
	waiter.Sleep(2 * time.Millisecond)
	if passed := time.Since(begin); passed < 2*time.Millisecond {
		t.Errorf("2ms were over after %v", passed)
	}
}
