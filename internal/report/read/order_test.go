package read_test

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// bucketsOf has one value in each of so many buckets.
func bucketsOf(t testing.TB, buckets int32) string {
	t.Helper()
	h := histogram.New()
	for micros := int64(1); h.Populated() < buckets; micros += max(1, int64(1)<<bits.Len64(uint64(micros))>>11) {
		if err := h.RecordValue(micros); err != nil {
			t.Fatal(err)
		}
	}
	text, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The rows of a second may be far apart in a log, as operations end late. What is held of such
// seconds has a bound, whatever a pod writes.
func TestSecondsThatWaitForTheirRowsTakeBoundedMemory(t *testing.T) {
	const most = 24 << 20
	const all = 20_000 // buckets, nearly
	inOrder := func(n, _ int64) int64 { return n / 2 }
	for _, c := range []struct {
		name    string
		seconds int64
		buckets int32
		second  func(n, seconds int64) int64 // of a row of one worker, which has two rows for each second
		refused bool
	}{
		{"a little out of order", 100, all, func(n, _ int64) int64 { return n/2 ^ n%2 }, false},
		{"operations that ended 80 s late", 100, 10_000, func(n, seconds int64) int64 { return (n/2 + n%2*(seconds-80)) % seconds }, false},
		{"one after the other, and again", 250, all, func(n, seconds int64) int64 { return n % seconds }, true},
		{"the last one first", 250, all, func(n, seconds int64) int64 { return (n + 2*seconds - 1) % (2 * seconds) / 2 }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			run, histogram := reporttest.NewLongRun(t, c.seconds, false), bucketsOf(t, c.buckets)
			before, held := reporttest.HeapBytes(), int64(0)
			for index, second := range []func(n, seconds int64) int64{inOrder, c.second} {
				run.Write(t, bundletest.WorkerOf(index).File(bundle.Hlog), 2*c.seconds, func(dst []byte, n int64) []byte {
					if n%(c.seconds/2) == 0 {
						held = max(held, reporttest.HeapBytes()-before)
					}
					return fmt.Appendf(dst, "Tag=%sREAD,%d.000,1.000,5.000,%s\n", bundle.IntendedPrefix, run.Start+second(n, c.seconds), histogram)
				})
			}
			in, err := read.Bundle(run)
			if err != nil {
				t.Fatal(err)
			}
			refused := false
			for _, problem := range in.Problems {
				refused = refused || problem.Reason == report.FileCorrupt && strings.Contains(problem.Message, "out of order")
			}
			if refused != c.refused || !c.refused && len(in.Problems) > 0 {
				t.Errorf("refused is %t, want %t: %v", refused, c.refused, in.Problems)
			}
			if held > most {
				t.Errorf("%d MiB were held", held>>20)
			} else {
				t.Logf("%d MiB were held", held>>20)
			}
		})
	}
}

// Rows of lags are ahead of the others where operations wait for a slot, by minutes in one worker
// and not at all in another. Both logs are in order.
func TestAWorkerWhoseOperationsWaitHoldsNoSecondsOfOthers(t *testing.T) {
	const seconds = 160
	run, histogram := reporttest.NewLongRun(t, seconds, false), bucketsOf(t, 20_000)
	for index, ahead := range []int64{5, 1} {
		run.Write(t, bundletest.WorkerOf(index).File(bundle.Hlog), 3*seconds, func(dst []byte, n int64) []byte {
			tag, at := bundle.IntendedPrefix+"READ", n/3
			if n%3 == 2 {
				tag, at = bundle.LagTag, min(ahead*at, seconds-1)
			}
			return fmt.Appendf(dst, "Tag=%s,%d.000,1.000,5.000,%s\n", tag, run.Start+at, histogram)
		})
	}
	in, err := read.Bundle(run)
	if err != nil || len(in.Problems) > 0 {
		t.Error(err, in.Problems)
	}
}
