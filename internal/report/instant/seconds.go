package instant

// BySecond has a value for each second of a workload that operations are recorded in. Their
// number is bounded by the workload's clock, so there is no need for a map.
type BySecond[T any] struct {
	First  Second // the second of the first value
	Values []T
}

// NewBySecond has no values yet.
func NewBySecond[T any](clock Clock) BySecond[T] {
	return BySecond[T]{First: clock.FirstSecond()}
}

// At finds or makes a second's value. The second is one that the clock records.
func (b *BySecond[T]) At(second Second) *T {
	for missing := second - b.First - Second(len(b.Values)) + 1; missing > 0; missing-- {
		var none T
		b.Values = append(b.Values, none)
	}
	return &b.Values[second-b.First]
}

// Find is a second's value, the zero one if there is none.
func (b *BySecond[T]) Find(second Second) (value T) {
	if at := second - b.First; at >= 0 && at < Second(len(b.Values)) {
		return b.Values[at]
	}
	return value
}

// Each calls f for the seconds that there are, in their order.
func (b *BySecond[T]) Each(f func(second Second, value *T)) {
	for i := range b.Values {
		f(b.First+Second(i), &b.Values[i])
	}
}

// Tight is the same in no more memory than it needs: it is kept while a whole run is read.
func Tight[T any](all []T) []T { return append(make([]T, 0, len(all)), all...) }
