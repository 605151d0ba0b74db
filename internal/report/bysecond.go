package report

// bySecond has a value for each second of a workload that operations are recorded in. Their
// number is bounded by the workload's clock, so there is no need for a map.
type bySecond[T any] struct {
	first  int64 // the second of the first value
	values []T
}

func newBySecond[T any](clock workloadClock) bySecond[T] {
	return bySecond[T]{first: clock.secondOfMicros(0)}
}

// at finds or makes a second's value. The second is one that the clock records.
func (b *bySecond[T]) at(second int64) *T {
	for missing := second - b.first - int64(len(b.values)) + 1; missing > 0; missing-- {
		var none T
		b.values = append(b.values, none)
	}
	return &b.values[second-b.first]
}

// find is a second's value, the zero one if there is none.
func (b *bySecond[T]) find(second int64) (value T) {
	if at := second - b.first; at >= 0 && at < int64(len(b.values)) {
		return b.values[at]
	}
	return value
}

// each calls f for the seconds that there are, in their order.
func (b *bySecond[T]) each(f func(second int64, value *T)) {
	for i := range b.values {
		f(b.first+int64(i), &b.values[i])
	}
}

// tight is the same in no more memory than it needs: it is kept while a whole run is read.
func tight[T any](all []T) []T { return append(make([]T, 0, len(all)), all...) }
