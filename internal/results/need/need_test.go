package need

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// written is what a worker leaves of a second, on average of some, whose latencies are lognormal with
// such a spread, and whose keys are on so many shards.
func written(t *testing.T, rate, kinds, shards int, open bool, spread float64) float64 {
	t.Helper()
	const seconds, begin = 2, int64(1e18)
	random := rand.New(rand.NewPCG(1, 2))
	some := func(median time.Duration, spread float64) time.Duration {
		return time.Duration(float64(median) * math.Exp(random.NormFloat64()*spread))
	}
	set := record.NewSet(16, begin, open)
	var hlog, bins bytes.Buffer
	log, err := record.NewLog(&hlog, &bins, begin)
	if err != nil {
		t.Fatal(err)
	}
	for second := range seconds {
		for i := range rate {
			at := time.Duration(second)*time.Second + time.Duration(i)*time.Second/time.Duration(rate)
			sent := at
			if open {
				sent += some(50*time.Microsecond, 0.5)
				set.Recorder(i).Intend(at, false)
				set.Recorder(i).Send(at, sent)
			}
			kind := []stores.Kind{stores.Read, stores.Update, stores.Insert}[i%kinds]
			set.Recorder(i).Finish(&record.Sample{Kind: kind, Shard: uint8(random.IntN(shards) + 1), Intended: at, Sent: sent, Done: sent + some(time.Millisecond, spread)})
		}
		if err := log.Write(set.Collect(), begin+int64(second+1)*1e9); err != nil {
			t.Fatal(err)
		}
	}
	long := int64(123_456)
	self, err := json.Marshal(bundle.SelfLine{AtUnixNanos: begin, Second: &bundle.SelfSecond{
		LengthMicros: 1_000_000, InFlightMax: rate, Limited: long, Queued: long, Intended: long, Sent: long, Late: long,
		GCPauseMicros: long, GCCPUMicros: long, ThrottledMicros: &long, StoppedMicros: &long, StoppedAgoMicros: long,
		Cores:      &bundle.Cores{Count: 2, RanMicros: long, WaitedMicros: long, WaitedMaxMicros: long, LongWaitsMicros: long},
		SlotMicros: long, SlotOwnMicros: long, Connections: &bundle.Connections{Waited: long, WaitMicros: long}, WriteMicros: long,
	}})
	if err != nil {
		t.Fatal(err)
	}
	return float64(hlog.Len()+bins.Len())/seconds + float64(len(self)+1)
}

func TestTheEstimateIsNearWhatWorkersWrite(t *testing.T) {
	shares := []string{"readproportion", "updateproportion", "insertproportion"}
	for _, open := range []bool{false, true} {
		for kinds := 1; kinds <= 3; kinds++ {
			for _, rate := range []int{20, 1000, 3700, 10_000} {
				if !open && rate != closedRate {
					continue // nobody knows it before
				}
				w := plan.Workload{DurationMillis: 1000, Properties: map[string]string{}, Load: plan.Load{Workers: 1}}
				for _, share := range shares[:kinds] {
					w.Properties[share] = "0.3"
				}
				if open {
					w.Load.Rate = float64(rate)
				}
				for shards := 1; shards <= stores.MaxShards; shards += stores.MaxShards - 1 {
					for _, spread := range []float64{0.5, 1, 2} {
						is, estimated := written(t, rate, kinds, shards, open, spread), bytesPerSecond(&w, shards)
						if estimated < 0.8*is || estimated > 2.5*is {
							t.Errorf("open %v, %d kinds, %d shards, %d/s, spread %.1f: %.0f B/s were written, and %.0f estimated",
								open, kinds, shards, rate, spread, is, estimated)
						}
					}
				}
			}
		}
	}
}

func TestARunNeedsWhatItsWorkersWriteInTheirTime(t *testing.T) {
	of := func(change func(*plan.Workload)) float64 {
		w := plan.Workload{Name: "a", DurationMillis: 3_600_000, Properties: map[string]string{"readproportion": "0.5", "updateproportion": "0.5"},
			Load: plan.Load{Workers: 10, Rate: 37_000}}
		if change != nil {
			change(&w)
		}
		return float64(Of(&plan.Plan{Store: plan.Store{Members: make([]plan.Member, 3)}, Workloads: []plan.Workload{w}}).Bytes)
	}
	hour := of(nil)
	for _, c := range []struct {
		what      string
		is        float64
		low, high float64
	}{
		{"ten worker-hours at 3,700/s", hour / 1e6, 450, 700},
		{"twice the time", of(func(w *plan.Workload) { w.DurationMillis *= 2 }) / hour, 1.9, 2.1},
		{"twice the workers at twice the rate", of(func(w *plan.Workload) { w.Load.Workers *= 2; w.Load.Rate *= 2 }) / hour, 1.9, 2.1},
		{"as many operations", of(func(w *plan.Workload) { w.DurationMillis, w.Operations = 0, 37_000*3600 }) / hour, 0.99, 1.01},
		{"a warm-up as long", of(func(w *plan.Workload) { w.Load.WarmupMillis = 3_600_000 }) / hour, 1.9, 2.1},
		{"a warm-up as long that is busier, before steps down", of(func(w *plan.Workload) {
			w.Load.WarmupMillis, w.Load.Rate = 3_600_000, 370_000
			w.Load.Shape = &plan.Shape{Segments: []plan.Segment{{From: 370_000, To: 37_000, Millis: 1}}}
		}) / hour, 2.5, 5},
		{"rows of a trace in its warm-up, before a few that are measured", of(func(w *plan.Workload) {
			w.DurationMillis, w.Operations, w.Load.WarmupMillis = 0, 100, 3_600_000
			w.Load.Rate, w.Load.Trace = 1e6, &plan.Trace{Rows: 37_000 * 3600, LastMillis: 3_601_000, Stretch: 1}
		}) / hour, 0.99, 1.02},
		{"as many operations in bursts", of(func(w *plan.Workload) {
			w.DurationMillis, w.Operations = 0, 37_000*3600
			w.Load.Rate, w.Load.Shape = 370_000, &plan.Shape{Sine: &plan.Sine{Mean: 37_000, Amplitude: 37_000, PeriodMillis: 60_000}}
		}) / hour, 0.99, 1.01},
		{"as many rows of a trace with one busy second", of(func(w *plan.Workload) {
			w.DurationMillis, w.Operations = 0, 37_000*3600
			w.Load.Rate, w.Load.Trace = 1e6, &plan.Trace{Rows: 37_000 * 3600, LastMillis: 3_600_000, Stretch: 1}
		}) / hour, 0.99, 1.01},
		{"a closed loop", of(func(w *plan.Workload) { w.Load.Rate = 0 }) / hour, 0.3, 2},
		{"its records besides", (of(func(w *plan.Workload) { w.LoadFirst, w.Records = true, 1e9 }) - hour) / 1e6, 300, 1000},
		{"what is beyond all measure", of(func(w *plan.Workload) { w.DurationMillis = math.MaxInt64 / 2 }), 1e14, math.MaxInt64},
	} {
		if c.is < c.low || c.is > c.high {
			t.Errorf("%s: %g, want %g to %g", c.what, c.is, c.low, c.high)
		}
	}
}

func TestANeedIsToldWithItsSum(t *testing.T) {
	p := &plan.Plan{Store: plan.Store{Members: make([]plan.Member, 3)}}
	for i := range 20 {
		p.Workloads = append(p.Workloads, plan.Workload{Name: fmt.Sprintf("w%d", i), DurationMillis: 7_200_000, LoadFirst: true, Records: 1_000_000,
			Properties: map[string]string{"readproportion": "1"}, Load: plan.Load{Workers: 40, Rate: 40_000}})
	}
	text := Of(p).String()
	if want := "GiB (workload w0, 40 workers for 2h0m0s at "; !strings.Contains(text, want) || !strings.Contains(text, "and so on") || len(text) > 500 {
		t.Errorf("%q", text)
	}
}
