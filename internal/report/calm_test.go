package report

import (
	"slices"
	"testing"
)

// A day of measurement with two faults, in blocks.
func TestSecondsAreBlocksThatFaultsLeaveWhole(t *testing.T) {
	clock := workloadClock{warmupMicros: 10 * sec, endMicros: 90_000 * sec, recordedMicros: 90_000 * sec, measuredDuration: 89_990 * sec}
	c := newCalm(clock, []int64{1_010*sec + 300*ms, 20_010 * sec}) // rows 1000 and 20000
	for _, span := range []struct {
		name           string
		from, to, long int64 // of [from, to), in blocks of that length; 0: one block
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
	clock := workloadClock{endMicros: 9_000 * sec, recordedMicros: 9_000 * sec, measuredDuration: 9_000 * sec}
	l := newLatencies(clock, true)
	l.calm = newCalm(clock, []int64{1_000 * sec, 8_000 * sec})
	// Until the first fault 1 ms, for 500 s after it 100 ms, then 2 ms, after the second 1 s.
	for second := range int64(9_000) {
		h := newHistogram()
		micros := []int64{ms, 100 * ms, 2 * ms, sec}[slices.IndexFunc([]int64{1_000, 1_500, 8_000, 9_000}, func(to int64) bool { return second < to })]
		if err := h.RecordValue(micros); err != nil {
			t.Fatal(err)
		}
		if err := l.calm.add(second, h); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name    string
		before  int64
		windows []window
		p99     int64
	}{
		{"the first fault", 1_000, nil, ms},
		{"the second", 8_000, []window{{1_000, 1_499}}, 2 * ms},
		{"the second, as if the first one's end was not known", 8_000, nil, 100 * ms},
		{"a fault in the middle of a minute after", 1_000, []window{{0, 998}}, ms},
		{"a fault at once", 0, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p99, err := l.p99Before(c.before, c.windows)
			if err != nil {
				t.Fatal(err)
			}
			var got int64
			if p99 != nil {
				got = *p99
			}
			near(t, "p99", got, c.p99, c.p99/500+1)
		})
	}
}
