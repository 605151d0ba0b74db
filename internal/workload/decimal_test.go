package workload

import (
	"math"
	"strconv"
	"testing"
)

func TestDecimalsAreThoseOfTheLibrary(t *testing.T) {
	check := func(n int64) {
		if got, want := string(appendDecimal([]byte("user"), n)), "user"+strconv.FormatInt(n, 10); got != want {
			t.Fatalf("%d is written %s", n, got)
		}
	}
	for _, n := range []int64{math.MinInt64, -1, 0, 9, 1e8, 1e16 - 1, 1e16, 1e16 + 1, 1e17 - 1, 1e17, 1e18 - 1, 1e18, 1e18 + 1e8, math.MaxInt64} {
		check(n)
	}
	// Every part of eight digits, through each of its halves.
	for part := range int64(1e4) {
		check(1e16 + part)
		check(1e16 + part*1e4)
		check(1e16 + part*1e8)
		check(1e16 + part*1e12)
		check(1e16 * (1 + part%922))
	}
	rng := NewRand(1, "", 0)
	for range 100_000 {
		check(rng.Int64())
	}
}
