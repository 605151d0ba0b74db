package latency

import (
	"slices"
	"testing"

	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/instant"
)

// A day of measurement with two faults, in blocks.
func TestSecondsAreBlocksThatFaultsLeaveWhole(t *testing.T) {
	clock := instant.Clock{Begin: 10 * bundletest.Second, End: 90_000 * bundletest.Second, Recorded: 90_000 * bundletest.Second, MeasuredMicros: 89_990 * bundletest.Second}
	c := newBaseline(clock, []instant.FromStart{1_010*bundletest.Second + 300*bundletest.Millisecond, 20_010 * bundletest.Second}) // rows 1000 and 20000
	for _, span := range []struct {
		name           string
		from, to, long instant.Second // of [from, to), in blocks of that length; 0: one block
	}{
		{"the warm-up", -10, 0, 0},
		{"before the first fault", 0, 995, 0},
		{"around and after it", 995, 1_300, 1},
		{"for the rest of an hour", 1_300, 4_600, 60},
		{"until the second", 4_605, 19_995, 0},
		{"around the second", 19_995, 20_300, 1},
		{"for the rest of an hour again", 20_300, 23_600, 60},
		{"until the end", 23_605, 90_000, 0},
	} {
		t.Run(span.name, func(t *testing.T) {
			long := span.long
			if long == 0 {
				long = span.to - span.from
			}
			for second := span.from; second < span.to; second++ {
				first := second - (second-span.from)%long
				if c.begin(second) != c.begin(first) {
					t.Fatalf("seconds %d and %d are apart", first, second)
				}
				if second == first && second > span.from && c.begin(second) == c.begin(second-1) {
					t.Fatalf("seconds %d and %d are together", second-1, second)
				}
			}
			if span.from >= 0 && c.begin(span.from-1) == c.begin(span.from) {
				t.Errorf("second %d belongs to what was before", span.from)
			}
		})
	}
}

func TestTheP99BeforeLeavesWholeBlocksOut(t *testing.T) {
	clock := instant.Clock{End: 9_000 * bundletest.Second, Recorded: 9_000 * bundletest.Second, MeasuredMicros: 9_000 * bundletest.Second}
	l := New(clock, true)
	l.baseline = newBaseline(clock, []instant.FromStart{1_000 * bundletest.Second, 8_000 * bundletest.Second})
	// Until the first fault 1 ms, for 500 s after it 100 ms, then 2 ms, after the second 1 s.
	for second := range instant.Second(9_000) {
		h := histogram.New()
		micros := []int64{bundletest.Millisecond, 100 * bundletest.Millisecond, 2 * bundletest.Millisecond, bundletest.Second}[slices.IndexFunc([]instant.Second{1_000, 1_500, 8_000, 9_000}, func(to instant.Second) bool { return second < to })]
		if err := h.RecordValue(micros); err != nil {
			t.Fatal(err)
		}
		if err := l.baseline.add(second, h); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name    string
		before  instant.Second
		windows []instant.Window
		p99     int64
	}{
		{"the first fault", 1_000, nil, bundletest.Millisecond},
		{"the second", 8_000, []instant.Window{{From: 1_000, To: 1_499}}, 2 * bundletest.Millisecond},
		{"the second, as if the first one's end was not known", 8_000, nil, 100 * bundletest.Millisecond},
		{"a fault in the middle of a minute after", 1_000, []instant.Window{{From: 0, To: 998}}, bundletest.Millisecond},
		{"a fault at once", 0, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p99, err := l.P99Before(c.before, c.windows)
			if err != nil {
				t.Fatal(err)
			}
			var got int64
			if p99 != nil {
				got = *p99
			}
			bundletest.Near(t, "p99", got, c.p99, c.p99/500+1)
		})
	}
}
