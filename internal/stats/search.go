package stats

import "math"

// Tried is a rate at which the objectives were met, or were not.
type Tried struct {
	Rate float64
	Met  bool
}

// SearchRange bounds a search for the highest rate.
type SearchRange struct {
	First     float64 // operations/s of the first step
	Growth    float64 // above 1: the factor from one step to the next, while nothing is bracketed
	Most      float64 // no step is faster
	Precision float64 // the share of the answer by which the bracket may be wider at the end
}

// SlowestRate is the rate below which a search gives up: a window has too few operations.
const SlowestRate = 1

// Next is the rate to try after these; ok is false when the search is over. While all
// steps met the objectives the rate grows by a factor, while none did it shrinks; then the
// bracket between the fastest that met them and the SlowestRate that didn't is halved.
func (r SearchRange) Next(tried []Tried) (rate float64, ok bool) {
	if len(tried) == 0 {
		return min(r.First, r.Most), true
	}
	met, missed := Bracket(tried)
	switch {
	case math.IsInf(missed, 1):
		return min(met*r.Growth, r.Most), met < r.Most
	case met == 0:
		return missed / r.Growth, missed/r.Growth >= SlowestRate
	case missed-met <= r.Precision*met:
		return 0, false
	}
	return (met + missed) / 2, true
}

// Bracket is the fastest rate that met the objectives below the SlowestRate that missed them;
// 0 and +Inf where there is none.
func Bracket(tried []Tried) (met, missed float64) {
	missed = math.Inf(1)
	for _, t := range tried {
		if !t.Met {
			missed = min(missed, t.Rate)
		}
	}
	for _, t := range tried {
		if t.Met && t.Rate < missed {
			met = max(met, t.Rate)
		}
	}
	return met, missed
}
