package bundle

import "math"

// Arrivals are the gaps between every Each-th of a worker's arrivals, by what the law's
// distribution function makes of them: uniform from 0 to 1, if the arrivals keep to the
// law. Step i counts those from i/ArrivalSteps on. Short has each gap as long as lags of up
// to 1 ms may have made it too short, and Long as short: too many low ones of Short are gaps
// that were too short for certain, too many high ones of Long gaps that were too long.
type Arrivals struct {
	Each  int     `json:"each"`
	Short []int64 `json:"short"`
	Long  []int64 `json:"long"`
}

// ArrivalSteps is the number of steps from 0 to 1.
const ArrivalSteps = 100

// Gaps is how many there were.
func (a *Arrivals) Gaps() (n int64) {
	for _, count := range a.Short {
		n += count
	}
	return n
}

// Distance is the Kolmogorov–Smirnov distance of the gaps from the law, beyond what the
// tolerance explains; 0 without any. It is known to one step, downward.
func (a *Arrivals) Distance() float64 {
	n := float64(a.Gaps())
	if n == 0 {
		return 0
	}
	var distance float64
	var short, long int64
	for i := range ArrivalSteps - 1 {
		short += a.Short[i]
		long += a.Long[i]
		uniform := float64(i+1) / ArrivalSteps
		distance = math.Max(distance, math.Max(float64(short)/n-uniform, uniform-float64(long)/n))
	}
	return distance
}
