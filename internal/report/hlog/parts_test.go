package hlog

import (
	"testing"

	"github.com/kvbench/kvbench/internal/report/instant"
)

func TestTagsOfParts(t *testing.T) {
	for tag, want := range map[string]Row{
		"Part-READ":                   {Operation: "READ", Outcome: "ok", Part: true},
		"Intended-Part-UPDATE-FAILED": {Operation: "UPDATE", Outcome: "failed", Time: ResponseTime, Part: true},
		"Wait-READ":                   {Operation: "READ", Outcome: "ok", Time: WaitTime},
	} {
		if got, err := parseTag(tag); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", tag, got, err, want)
		}
	}
	for _, tag := range []string{"Part-", "Part-Part-READ", "Wait-Part-READ", "Part-Intended-READ", "Part-LAG"} {
		if got, err := parseTag(tag); err == nil {
			t.Errorf("%s: %+v", tag, got)
		}
	}
}

// A row ends where its length says, to the millisecond.
func TestARowHasItsLength(t *testing.T) {
	const unix = 1_800_000_000
	for line, want := range map[string]int64{ // milliseconds after that second
		"1800000000.000,1.000": 1000, "1800000000.700,0.300": 1000, "1800000000.001,2.999": 3000, "1800000000.000,0.001": 1, "1800000000,1": 1000,
	} {
		row, err := parseRow("Tag=READ," + line + ",1,x")
		if err != nil || row.At != unix*instant.NanosPerSecond || row.Until != instant.Unix((unix*1000+want)*1_000_000) {
			t.Errorf("%s: %d to %d, %v", line, row.At, row.Until, err)
		}
	}
	for _, length := range []string{"", "x", "-1", "NaN", "Inf", "1e10"} {
		if row, err := parseRow("Tag=READ,1800000000.000," + length + ",1,x"); err == nil {
			t.Errorf("length %q: %+v", length, row)
		}
	}
}
