package bundle

import "testing"

// What Java's HdrHistogram 2.1.12 gives for the values 1 to n.
func TestRanksAreThoseOfHdrHistogram(t *testing.T) {
	percentiles := []float64{0, 33.3, 50, 95, 97.5, 99, 99.9, 100}
	for n, want := range map[int64][]int64{
		1:    {1, 1, 1, 1, 1, 1, 1, 1},
		7:    {1, 3, 4, 7, 7, 7, 7, 7},
		101:  {1, 34, 51, 96, 99, 100, 101, 101},
		250:  {1, 84, 125, 238, 244, 248, 250, 250},
		1000: {1, 333, 500, 950, 975, 990, 999, 1000},
		1999: {1, 666, 1000, 1900, 1950, 1980, 1998, 1999},
	} {
		for i, p := range percentiles {
			if got := Rank(p, n); got != want[i] {
				t.Errorf("p%v of %d is value %d, want %d", p, n, got, want[i])
			}
		}
	}
}
