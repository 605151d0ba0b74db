package judge_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// The load phase lasts 2 s, from 100 s before the start on. A loader of 8 threads says of each of
// its seconds how it fared.
func TestALoadPhaseIsJudgedByItself(t *testing.T) {
	for _, c := range []struct {
		name    string
		second  bundle.SelfSecond // the first
		reason  string            // empty for none
		seconds []int64
	}{
		{name: "undisturbed", second: bundle.SelfSecond{Cores: waits(100_000, 20_000)}},
		{name: "stopped", second: bundle.SelfSecond{StoppedMicros: new(int64(limits.MaxStoppedMicros + 1)), StoppedAgoMicros: 500_000}, reason: report.GeneratorStopped, seconds: []int64{0}},
		{name: "starved", second: bundle.SelfSecond{Cores: waits(4_100_000, 100_000)}, reason: report.GeneratorStarved, seconds: []int64{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := reporttest.NewSituation()
			f := s.Build(t)
			name := bundletest.LoaderOf(1, 0).File(bundle.Jsonl)
			finish := f[name].Data
			first, last := c.second, bundle.SelfSecond{LengthMicros: bundletest.Second, Cores: waits(0, 0)}
			first.LengthMicros = bundletest.Second
			f.Put(name, bytes.Join([][]byte{
				bundletest.Line(bundle.SelfLine{AtUnixNanos: s.Nanos(-99 * bundletest.Second), Second: &first}),
				bundletest.Line(bundle.SelfLine{AtUnixNanos: s.Nanos(-98 * bundletest.Second), Second: &last}), finish,
			}, nil))
			f.End(name)
			r := reporttest.Report(t, f)
			if !r.Valid {
				t.Errorf("the run is not valid: %+v", r.InvalidReasons)
			}
			loading := r.Workloads[0].Loading
			text := string(render.Markdown(r))
			if c.reason == "" {
				if !loading.Valid || len(loading.InvalidReasons) != 0 || strings.Contains(text, "NOT VALID") {
					t.Errorf("the loading has the reasons %+v", loading.InvalidReasons)
				}
				return
			}
			if loading.Valid || len(loading.InvalidReasons) != 1 || loading.InvalidReasons[0].Reason != c.reason ||
				!slices.Equal(loading.InvalidReasons[0].Seconds, c.seconds) || !strings.Contains(loading.InvalidReasons[0].Message, "while loading, ") {
				t.Errorf("the loading has the reasons %+v", loading.InvalidReasons)
			}
			for _, text := range []string{text, render.Table(r)} {
				if !strings.Contains(text, "records/s, insert") || !strings.Contains(text, ": NOT VALID\n") || !strings.Contains(text, "while loading, ") {
					t.Errorf("it doesn't say so:\n%s", text)
				}
			}
		})
	}
}
