package workload

// meanDraws is how many lengths are drawn for their mean where the law has no short formula.
const meanDraws = 100_000

// MeanFieldLength is how long the fields of the workload are on average, in bytes: for estimates.
func (s *Spec) MeanFieldLength() float64 {
	span := s.FieldLength - s.MinFieldLength + 1
	rng := NewRand(0, "mean field length", 0)
	var draw func() int64
	switch s.FieldLengths {
	case Uniform:
		return float64(s.MinFieldLength+s.FieldLength) / 2
	case Zipfian:
		law := newZipf(span)
		draw = func() int64 { return s.MinFieldLength + min(span-1, law.next(rng, span)) }
	case Pareto:
		law := newPareto(s.FieldLengthPareto.K, s.FieldLengthPareto.Sigma, span)
		draw = func() int64 { return s.MinFieldLength - 1 + law.next(rng) }
	case Histogram:
		draw = func() int64 { return s.LengthHistogram.next(rng) }
	default:
		return float64(s.FieldLength)
	}
	var sum int64
	for range meanDraws {
		sum += draw()
	}
	return float64(sum) / meanDraws
}
