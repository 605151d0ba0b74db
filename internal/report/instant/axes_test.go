package instant

import "testing"

// A measurement begins 2.5 s after a workload's start, which is 0.2 s after a full second.
var between = Clock{Start: 1_000_200_000_000, Begin: 2_500_000, End: 12_500_000, Recorded: 13_500_000, MeasuredMicros: 10_000_000}

func TestAnInstantHasOnePlaceOnEachAxis(t *testing.T) {
	for _, c := range []struct {
		at     FromStart
		unix   Unix
		bin    Bin
		second Second
		row    Second // of the logs
		moment string
	}{
		{-1, 1_000_199_999_000, -1, -3, -3, "1970-01-01T00:16:40.199999Z"},
		{0, 1_000_200_000_000, 0, -3, -3, "1970-01-01T00:16:40.200000Z"},
		{799_999, 1_000_999_999_000, 79, -2, -3, "1970-01-01T00:16:40.999999Z"},
		{800_000, 1_001_000_000_000, 80, -2, -2, "1970-01-01T00:16:41.000000Z"},
		{2_499_999, 1_002_699_999_000, 249, -1, -1, "1970-01-01T00:16:42.699999Z"},
		{2_500_000, 1_002_700_000_000, 250, 0, -1, "1970-01-01T00:16:42.700000Z"},
		{2_800_000, 1_003_000_000_000, 280, 0, 0, "1970-01-01T00:16:43.000000Z"},
	} {
		if unix := between.Unix(c.at); unix != c.unix || between.FromStart(unix) != c.at || between.FromStart(unix.Plus(999)) != c.at {
			t.Errorf("%d: %d on the server's clock, want %d", c.at, unix, c.unix)
		}
		if bin := c.at.Bin(); bin != c.bin || bin.Begin() > c.at || (bin+1).Begin() <= c.at {
			t.Errorf("%d: bin %d, want %d", c.at, bin, c.bin)
		}
		second := between.SecondAt(c.at)
		if begin := between.SecondBegin(second); second != c.second || begin > c.at || begin.Plus(1_000_000) <= c.at {
			t.Errorf("%d: second %d, want %d", c.at, second, c.second)
		}
		if row := between.RowOf(c.at); row != c.row {
			t.Errorf("%d: row %d, want %d", c.at, row, c.row)
		}
		m := between.Moment(c.at)
		if m.Time != c.moment || int64(m.SinceStartMicros) != c.at.Since(between.Begin) || between.OfMoment(m) != c.unix {
			t.Errorf("%d: %+v, want %s", c.at, m, c.moment)
		}
	}
}

func TestARowBeginsAtAFullSecondAndIsTakenForItsOwn(t *testing.T) {
	for offset := Unix(0); offset < NanosPerSecond; offset += NanosPerSecond / 8 {
		clock := between
		clock.Start += offset
		for second := clock.FirstSecond(); second <= clock.LastSecond(); second++ {
			begin := clock.RowBegin(second)
			if begin != begin.FullSecond() || clock.SecondOf(begin) != second {
				t.Errorf("the row of second %d begins at %d, and is taken for second %d", second, begin, clock.SecondOf(begin))
			}
		}
	}
}

func TestTheNextBinBeginsAtTheInstantOrLater(t *testing.T) {
	for at, want := range map[FromStart]Bin{0: 0, 1: 1, 9_999: 1, 10_000: 1, 10_001: 2} {
		if got := at.NextBin(); got != want {
			t.Errorf("after %d: bin %d, want %d", at, got, want)
		}
	}
}
