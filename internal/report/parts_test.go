package report

import (
	"bytes"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// The fill of a cache takes longer than the read that missed it, and isn't of the load.
func TestPartsHaveLatenciesAndAreNotOfASecond(t *testing.T) {
	clock := workloadClock{endMicros: 10 * sec, recordedMicros: 10 * sec, measuredDuration: 10 * sec}
	for _, open := range []bool{true, false} {
		l, log := newLatencies(clock, open), logged{}
		prefix := ""
		if open {
			prefix = bundle.IntendedPrefix
		}
		for range 100 {
			log.record(3, prefix+"READ", 2*ms)
			log.record(3, prefix+bundle.PartPrefix+"INSERT", 30*ms)
			log.record(3, bundle.PartPrefix+"INSERT", 30*ms)
		}
		if err := readLog(bytes.NewReader(log.bytes(t)), l.add); err != nil {
			t.Fatal(err)
		}
		if rows := *l.rows.at(3); rows != 1 {
			t.Errorf("open %v: %d rows of the second", open, rows)
		}
		inserts := l.operations[opKey{"INSERT", stores.OK.String()}]
		if inserts == nil || inserts.service.TotalCount() < 100 || open && inserts.response.Max() < 29*ms {
			t.Errorf("open %v: inserts %+v", open, inserts)
		}
	}
}

func TestTagsOfParts(t *testing.T) {
	for tag, want := range map[string]logRow{
		"Part-READ":                   {operation: "READ", outcome: "ok", part: true},
		"Intended-Part-UPDATE-FAILED": {operation: "UPDATE", outcome: "failed", time: responseTime, part: true},
		"Wait-READ":                   {operation: "READ", outcome: "ok", time: waitTime},
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

// A fill begins when its read has missed: the generator's lag is no part of it. Rows of waits alone
// are a broken pod's.
func TestPartsAreNotHeldAgainstTheGenerator(t *testing.T) {
	clock := workloadClock{endMicros: 10 * sec, recordedMicros: 10 * sec, measuredDuration: 10 * sec}
	for name, c := range map[string]struct {
		tags    []string
		reasons int
	}{
		"an insert that was intended": {[]string{"INSERT", bundle.IntendedPrefix + "INSERT", bundle.WaitPrefix + "INSERT"}, 1},
		"a fill":                      {[]string{bundle.PartPrefix + "INSERT", bundle.IntendedPrefix + bundle.PartPrefix + "INSERT"}, 0},
		"waits alone":                 {[]string{bundle.WaitPrefix + "INSERT"}, 0},
	} {
		l, log := newLatencies(clock, true), logged{}
		log.record(3, bundle.LagTag, 1200)
		for _, tag := range c.tags {
			log.record(3, tag, 1500)
		}
		if err := readLog(bytes.NewReader(log.bytes(t)), l.add); err != nil {
			t.Fatal(err)
		}
		reasons := 0
		judgeLag(&observed{open: true, latencies: l}, func(string, []int64, string, ...any) { reasons++ })
		if reasons != c.reasons {
			t.Errorf("%s: %d reasons", name, reasons)
		}
	}
}
