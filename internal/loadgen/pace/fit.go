package pace

import (
	"math"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/rate"
)

const (
	// fitScale is the time over which arrivals are compared with their law: over much shorter
	// ones the comparison would be of single wakes of a thread. It is no multiple of the
	// periods that timers have, so that sends in bunches don't end gaps at the same phase.
	fitScale = 23 * time.Millisecond
	// fitTolerance is how late an arrival may be unblamed: the lag is judged by itself.
	fitTolerance = time.Millisecond
	// fitRounding is what the instants of a law are rounded by, and more.
	fitRounding = time.Microsecond
)

// Fit compares a worker's arrivals, as they were, with their law: for a Kolmogorov–Smirnov
// test in constant memory. Arrivals are operations that were handed to a session or began
// to wait for one, which no store delays.
//
// It looks at the gaps between every each-th arrival, in operations that were due in them.
// Of a Poisson process these have the gamma distribution of shape each and scale 1, and
// their distribution function makes them uniform; of constant arrivals each is the same. A
// gap counts twice: as long as it would have been if the arrival at its begin had not been
// late, and as short as without the lateness of the one at its end. No more than the
// tolerance is taken off, so that what comes in bunches is not excused by its lag.
type Fit struct {
	rate    rate.Rate
	workers float64
	uniform func(gap float64, each int) float64
	last    time.Duration
	due     time.Duration // the last, without its lateness
	seen    int           // since the last gap's end
	counts  bundle.Arrivals
}

// NewFit begins a comparison with constant or Poisson arrivals, of a worker's share of a
// rate whose highest value is peak.
func NewFit(r rate.Rate, peak float64, workers int, constant bool) *Fit {
	f := &Fit{rate: r, workers: float64(workers), uniform: gamma, last: -1}
	if constant {
		f.uniform = step
	}
	f.counts = bundle.Arrivals{
		Each:  max(1, int(math.Round(peak/f.workers*fitScale.Seconds()))),
		Short: make([]int64, bundle.ArrivalSteps),
		Long:  make([]int64, bundle.ArrivalSteps),
	}
	return f
}

// Arrive adds an arrival, and when it was intended. They come in their order.
func (f *Fit) Arrive(at, intended time.Duration) {
	f.seen++
	if f.last >= 0 && f.seen < f.counts.Each {
		return
	}
	due := max(intended-fitRounding, at-fitTolerance)
	if f.last >= 0 {
		count(f.counts.Short, f.uniform(f.gap(f.due, at), f.counts.Each))
		count(f.counts.Long, f.uniform(f.gap(f.last, due), f.counts.Each))
	}
	f.last, f.due, f.seen = at, due, 0
}

// gap is how many of this worker's operations were due between the two instants.
func (f *Fit) gap(from, to time.Duration) float64 {
	return max(0, (f.rate.Due(to)-f.rate.Due(from))/f.workers)
}

// Counts are all gaps so far.
func (f *Fit) Counts() *bundle.Arrivals { return &f.counts }

func count(steps []int64, u float64) {
	steps[min(int(u*float64(len(steps))), len(steps)-1)]++
}

// step is the distribution function of constant gaps. What rounding does to a sum is
// allowed for.
func step(gap float64, each int) float64 {
	if gap < float64(each)-1e-6 {
		return 0
	}
	return 1
}

// gamma is the distribution function of the gamma distribution with that shape and scale 1:
// the probability that a Poisson variable with mean gap is at least shape. It sums up the
// smaller side of that variable's probabilities, from the middle outward.
func gamma(gap float64, shape int) float64 {
	const enough = 1e-12
	if gap <= 0 {
		return 0
	}
	k := float64(shape)
	if gap < k {
		term := poissonAt(k, gap)
		sum := term
		for i := k + 1; term > enough*sum; i++ {
			term *= gap / i
			sum += term
		}
		return sum
	}
	term := poissonAt(k-1, gap)
	sum := term
	for i := k - 1; i > 0 && term > enough*sum; i-- {
		term *= i / gap
		sum += term
	}
	return 1 - sum
}

// poissonAt is the probability that a Poisson variable with that mean is k.
func poissonAt(k, mean float64) float64 {
	logFactorial, _ := math.Lgamma(k + 1)
	return math.Exp(k*math.Log(mean) - mean - logFactorial)
}
