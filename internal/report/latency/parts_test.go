package latency

import (
	"bytes"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/hlog"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/stores"
)

// The fill of a cache takes longer than the read that missed it, and isn't of the load.
func TestPartsHaveLatenciesAndAreNotOfASecond(t *testing.T) {
	clock := instant.Clock{End: 10 * bundletest.Second, Recorded: 10 * bundletest.Second, MeasuredMicros: 10 * bundletest.Second}
	for _, open := range []bool{true, false} {
		l, log := New(clock, open), bundletest.Logged{}
		prefix := ""
		if open {
			prefix = bundle.IntendedPrefix
		}
		for range 100 {
			log.Record(3, prefix+"READ", 2*bundletest.Millisecond)
			log.Record(3, prefix+bundle.PartPrefix+"INSERT", 30*bundletest.Millisecond)
			log.Record(3, bundle.PartPrefix+"INSERT", 30*bundletest.Millisecond)
		}
		if err := hlog.Read(bytes.NewReader(log.Bytes(t)), l.Add); err != nil {
			t.Fatal(err)
		}
		if rows := *l.rows.At(3); rows != 1 {
			t.Errorf("open %v: %d rows of the second", open, rows)
		}
		inserts := l.operations[Key{"INSERT", stores.OK.String()}]
		if inserts == nil || inserts.service.TotalCount() < 100 || open && inserts.response.Max() < 29*bundletest.Millisecond {
			t.Errorf("open %v: inserts %+v", open, inserts)
		}
	}
}
