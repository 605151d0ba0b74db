package workload

import (
	"math"
	"math/rand/v2"
)

// YCSB's zipfian constant, and what follows from it alone.
const theta float64 = 0.99

var (
	alpha    = 1 / (1 - theta) // below 100, as 1-θ is no float64; in Java as well
	lack     = alpha - 100
	zeta2    = 1 + math.Pow(2, -theta)
	halfStep = 1 + math.Pow(0.5, theta)
)

// zipf draws ranks 0 … n-1, the lower the likelier. It is a value: each thread has a copy.
type zipf struct {
	n    int64 // what η is made from; stays when the number of items grows
	last int64 // items that zeta counts
	zeta float64
	eta  float64
}

func newZipf(n int64) zipf {
	z := zipf{n: n}
	z.grow(n, zetaOf(n))
	return z
}

// scrambled zipfian requests use one inner generator of this size, whose zeta YCSB has as
// a constant because it takes minutes to add up.
const (
	scrambledItems = 10_000_000_001
	scrambledZeta  = 26.46902820178302
)

func newScrambledZipf() zipf {
	z := zipf{n: scrambledItems}
	z.grow(scrambledItems, scrambledZeta)
	return z
}

func (z *zipf) grow(items int64, zeta float64) {
	z.last, z.zeta = items, zeta
	z.eta = (1 - math.Pow(2/float64(z.n), 1-theta)) / (1 - zeta2/zeta)
}

// singly is how many further items are added one by one, as YCSB adds all of them: about
// as many as cost what the formula does.
const singly = 8

// growTo counts further items in; fewer than before change nothing. It takes the same
// moment however many there are: a session that an outage needs is new, and makes its
// first operation after all inserts of the run.
func (z *zipf) growTo(items int64) {
	if items <= z.last {
		return
	}
	zeta, last := z.zeta, z.last
	for last < items && (last < tailFrom || items-last <= singly) {
		last++
		zeta += math.Pow(1/float64(last), theta)
	}
	if last < items {
		zeta += zetaTail(last, items)
	}
	z.grow(items, zeta)
}

// next draws among items, which is n unless the range has grown.
func (z *zipf) next(rng *rand.Rand, items int64) int64 {
	u := rng.Float64()
	uz := u * z.zeta
	if uz < 1 {
		return 0
	}
	if uz < halfStep {
		return 1
	}
	return int64(float64(items) * power(z.eta*u-z.eta+1))
}

// power is x^alpha, for x from 0.7 to 1: x^100, but for what alpha lacks of it. The
// products and their order are those of math.Pow, which is general and takes longer.
func power(x float64) float64 {
	x2 := x * x
	x4 := x2 * x2
	x8 := x4 * x4
	x16 := x8 * x8
	x32 := x16 * x16
	// e^(lack·ln x). With a lack of 10^-13, five terms of each series are more than fit.
	t := x - 1
	logarithm := t * (1 - t*(1.0/2-t*(1.0/3-t*(1.0/4-t/5))))
	return (1 + lack*logarithm) * x4 * x32 * (x32 * x32)
}

// zetaExact is how many terms zetaOf adds one by one.
const zetaExact = 1 << 20

// zetaOf is the sum of i^-θ for i from 1 to n. A load of 10^9 records would wait half a
// minute for all its terms, so those beyond zetaExact are added by formula.
func zetaOf(n int64) float64 { return zetaWith(n, zetaExact) }

func zetaWith(n, exact int64) float64 {
	m := min(n, exact)
	var sum float64
	for i := m; i >= 1; i-- {
		sum += math.Pow(float64(i), -theta)
	}
	if n == m {
		return sum
	}
	return sum + zetaTail(m, n)
}

// tailFrom is the first item from which on zetaTail is as exact as adding: the first term
// that it leaves out is below m^-4/100.
const tailFrom = 1000

// zetaTail is the sum of i^-θ for i from m+1 to n, by the Euler–Maclaurin formula.
func zetaTail(m, n int64) float64 {
	a, b := float64(m), float64(n)
	integral := (math.Pow(b, 1-theta) - math.Pow(a, 1-theta)) / (1 - theta)
	ends := (math.Pow(b, -theta) - math.Pow(a, -theta)) / 2
	slopes := theta / 12 * (math.Pow(a, -theta-1) - math.Pow(b, -theta-1))
	return integral + ends + slopes
}
