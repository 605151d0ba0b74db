package cassandra

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// stop is a row of a collection at so many milliseconds.
func stop(at, number int, millis int) logged {
	return logged{time.UnixMilli(int64(at)), number, inspector, shortest,
		fmt.Sprintf("G1 Young Generation GC in %dms.  G1 Eden Space: 150994944 -> 0; G1 Old Gen: 1 -> 2; ", millis)}
}

// full are as many rows as a log has, of 1 ms each, the last at so many milliseconds.
func full(last int) (rows []logged) {
	for i := range LogRows {
		rows = append(rows, stop(last-i, 0, 1))
	}
	return rows
}

func TestCollectionsAreCountedOnceEach(t *testing.T) {
	row := func(logger, level, message string) logged {
		return logged{time.UnixMilli(9), 0, logger, level, message}
	}
	long := row(inspector, "WARN", "G1 Old Generation GC in 1200ms.  G1 Eden Space: 1 -> 0; ")
	for name, c := range map[string]struct {
		looks [][]logged
		want  int64 // µs; -1 is unknown
	}{
		"nothing is logged":              {[][]logged{{}}, -1},
		"long ones alone are":            {[][]logged{{long}}, -1},
		"long ones too":                  {[][]logged{{long, stop(5, 0, 3)}}, 1_203_000},
		"the same look again":            {[][]logged{{stop(5, 0, 3)}, {stop(5, 0, 3)}}, 3_000},
		"a later one":                    {[][]logged{{stop(5, 0, 3)}, {stop(7, 0, 4), stop(5, 0, 3)}}, 7_000},
		"in any order":                   {[][]logged{{stop(5, 0, 3)}, {stop(5, 0, 3), stop(8, 0, 1), stop(7, 0, 4)}}, 8_000},
		"another one of the millisecond": {[][]logged{{stop(5, 0, 3)}, {stop(5, 0, 9), stop(5, 1, 3)}}, 12_000},
		"two at first, and a third":      {[][]logged{{stop(5, 0, 2), stop(5, 1, 1)}, {stop(5, 1, 2), stop(5, 0, 4), stop(5, 2, 1)}}, 7_000},
		"the clock was set back":         {[][]logged{{stop(500, 0, 3)}, {stop(500, 0, 3), stop(7, 0, 4)}, {stop(500, 0, 3), stop(8, 0, 1), stop(7, 0, 4)}}, 8_000},
		"what others log":                {[][]logged{{stop(5, 0, 3), row("org.apache.cassandra.db.Memtable", "TRACE", long.message)}}, -1},
		"what isn't a collection":        {[][]logged{{stop(5, 0, 3), row(inspector, "TRACE", "GC in a while")}}, -1},
		"what doesn't stop the process":  {[][]logged{{stop(5, 0, 3), row(inspector, "TRACE", "ZGC Cycles GC in 350ms.  ")}}, -1},
		"a longer time than there is":    {[][]logged{{stop(5, 0, 3), row(inspector, "TRACE", "Copy GC in 99999999999999999999ms.")}}, -1},
		"a full log at first":            {[][]logged{full(5000)}, -1},
		"a full log at first, and then":  {[][]logged{full(5000), full(5002)}, 1_002_000},
		"a log that gets full":           {[][]logged{full(5000)[1:], full(5001)}, 1_001_000},
		"a full log, and a clock set back": {[][]logged{full(5000)[1:], full(5001),
			append(full(5001)[:LogRows-1], stop(9, 0, 7))}, 1_008_000},
		"a full log of which all rows went": {[][]logged{full(5000)[1:], full(9000)}, -1},
		"and the look after that":           {[][]logged{full(5000)[1:], full(9000), full(9003)}, 2_002_000},
		"a log that was emptied":            {[][]logged{{stop(5, 0, 3), stop(6, 0, 3)}, {stop(7, 0, 3)}}, -1},
		"and one after it was":              {[][]logged{{stop(5, 0, 3), stop(6, 0, 3)}, {stop(7, 0, 3)}, {stop(7, 0, 3), stop(8, 0, 1)}}, 10_000},
		"more rows than the chart has":      {[][]logged{{stop(1, 0, 3)}, append(full(5000), stop(1, 0, 3))}, -1},
	} {
		for _, reversed := range []bool{false, true} {
			var counted collector
			for _, rows := range c.looks {
				rows = slices.Clone(rows)
				if reversed {
					slices.Reverse(rows)
				}
				counted.take(rows)
			}
			got := int64(-1)
			if micros := counted.micros(); micros != nil {
				got = *micros
			}
			if got != c.want {
				t.Errorf("%s, reversed %v: %d µs, want %d", name, reversed, got, c.want)
			}
		}
	}
}

func TestAnotherProcessBeginsToCountAnew(t *testing.T) {
	var counted collector
	counted.begin(1)
	counted.take(full(5000)) // of which nothing is known
	counted.begin(2)
	counted.take([]logged{stop(4000, 0, 6)})
	counted.begin(2)
	counted.take([]logged{stop(4000, 0, 6), stop(4001, 0, 2)})
	if micros := counted.micros(); micros == nil || *micros != 8_000 {
		t.Errorf("%v", micros)
	}
}
