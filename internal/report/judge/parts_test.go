package judge

import (
	"bytes"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/hlog"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/latency"
)

// A fill begins when its read has missed: the generator's lag is no part of it. Rows of waits alone
// are a broken pod's.
func TestPartsAreNotHeldAgainstTheGenerator(t *testing.T) {
	clock := instant.Clock{End: 10 * bundletest.Second, Recorded: 10 * bundletest.Second, MeasuredMicros: 10 * bundletest.Second}
	for name, c := range map[string]struct {
		tags    []string
		reasons int
	}{
		"an insert that was intended": {[]string{"INSERT", bundle.IntendedPrefix + "INSERT", bundle.WaitPrefix + "INSERT"}, 1},
		"a fill":                      {[]string{bundle.PartPrefix + "INSERT", bundle.IntendedPrefix + bundle.PartPrefix + "INSERT"}, 0},
		"waits alone":                 {[]string{bundle.WaitPrefix + "INSERT"}, 0},
	} {
		l, log := latency.New(clock, true), bundletest.Logged{}
		log.Record(3, bundle.LagTag, 1200)
		for _, tag := range c.tags {
			log.Record(3, tag, 1500)
		}
		if err := hlog.Read(bytes.NewReader(log.Bytes(t)), l.Add); err != nil {
			t.Fatal(err)
		}
		reasons := 0
		judgeLag(&Generator{open: true, latencies: l}, func(string, []instant.Second, string, ...any) { reasons++ })
		if reasons != c.reasons {
			t.Errorf("%s: %d reasons", name, reasons)
		}
	}
}
