package usage

import (
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/stores"
)

func withKubelets(t *testing.T, u *Sources, lines ...*bundle.UsageLine) *Sources {
	t.Helper()
	for _, line := range lines {
		if err := u.AddLine(line); err != nil {
			t.Fatal(err)
		}
	}
	u.Pods.Sort()
	u.Volumes.Sort()
	return u
}

func TestTheKubeletsWordCountsWhereTheStoreSaysLittle(t *testing.T) {
	kubelet := []*bundle.UsageLine{
		bundletest.OfPod("a", "1", 5, 0, 70), bundletest.OfPod("a", "1", 25, 40e6, 80),
		bundletest.OfPod("b", "2", 5, 0, 60), bundletest.OfPod("b", "2", 14, 9e6, 90), bundletest.OfPod("b", "2", 25, 20e6, 60),
	}
	for name, c := range map[string]struct {
		store   []stores.Usage
		cores   float64
		from    string
		covered int64
	}{
		"the store says nothing":     {nil, 2, report.FromKubelet, 10e6},
		"the store says all":         {[]stores.Usage{bundletest.Uses("a", 9, 0, 5), bundletest.Uses("a", 21, 6e6, 5)}, 0.5, report.FromStore, 10e6},
		"the store says four fifths": {[]stores.Usage{bundletest.Uses("a", 9, 0, 5), bundletest.Uses("a", 18, 9e6, 5)}, 1, report.FromStore, 8e6},
		"the store says less":        {[]stores.Usage{bundletest.Uses("a", 9, 0, 5), bundletest.Uses("a", 17, 8e6, 5)}, 2, report.FromKubelet, 10e6},
	} {
		got := withKubelets(t, taken(t, c.store...), kubelet...).During([]string{"a", "b"}, evenly(10e9, 20e9), 600)
		a, b := got.Members[0], got.Members[1]
		if !almost(a.Cores, c.cores) || a.CoresFrom != c.from || a.CoveredMicros != c.covered || a.Restarted {
			t.Errorf("%s: a: %+v, %v cores", name, a, *a.Cores)
		}
		if !almost(b.Cores, 1) || b.CoresFrom != report.FromKubelet || *b.WorkingSetMaxBytes != 90 || a.WorkingSetMaxBytes != nil {
			t.Errorf("%s: b: %+v", name, b)
		}
		if !almost(got.Cores, c.cores+1) || got.WorkingSetMaxBytes != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestThroughputIsComparedWithTheWorkingSetsOfAll(t *testing.T) {
	const gib = 1 << 30
	for name, c := range map[string]struct {
		a, b []int64 // working sets, one after the other
		last float64 // look at a, in seconds
		want float64 // 0 is unknown
	}{
		"of both, at their most":     {[]int64{gib / 2, gib}, []int64{3 * gib, gib}, 21, 150},
		"a fraction":                 {[]int64{gib / 4}, []int64{gib / 4}, 21, 1200},
		"of one alone":               {[]int64{gib}, nil, 21, 0},
		"of none of any size":        {[]int64{0}, []int64{0}, 21, 0},
		"of one that grows unlooked": {[]int64{gib / 2, gib}, []int64{gib}, 17, 0},
	} {
		u := &Sources{}
		for member, sizes := range map[string][]int64{"a": c.a, "b": c.b} {
			if sizes == nil {
				continue
			}
			for i, size := range sizes {
				withKubelets(t, u, bundletest.OfPod(member, member, float64(11+i), 5, size))
			}
			last := 21.0
			if member == "a" {
				last = c.last
			}
			withKubelets(t, u, bundletest.OfPod(member, member, 9, 5, 1), bundletest.OfPod(member, member, last, 5, 1))
		}
		got := u.During([]string{"a", "b"}, evenly(10e9, 20e9), 600)
		if got.OperationsPerCoreSecond != nil || (got.OperationsPerWorkingSetGibibyteSecond == nil) != (c.want == 0) {
			t.Errorf("%s: %+v", name, got)
		}
		if c.want != 0 && !almost(got.OperationsPerWorkingSetGibibyteSecond, c.want) {
			t.Errorf("%s: %v, want %v", name, *got.OperationsPerWorkingSetGibibyteSecond, c.want)
		}
	}
}

func TestAPodThatTookOverIsNotAveragedWithTheOld(t *testing.T) {
	// The other pod used more than the first one by its second look: its count alone doesn't tell.
	got := withKubelets(t, &Sources{}, bundletest.OfPod("a", "1", 10, 1e6, 5), bundletest.OfPod("a", "1", 12, 3e6, 5), bundletest.OfPod("a", "2", 16, 9e6, 5), bundletest.OfPod("a", "2", 20, 13e6, 5)).
		During([]string{"a"}, evenly(10e9, 20e9), 600).Members[0]
	if !got.Restarted || got.CoveredMicros != 6e6 || !almost(got.Cores, 1) {
		t.Errorf("%+v", got)
	}
}

func TestAVolumeIsNotTheStoresData(t *testing.T) {
	volume := func(member string, seconds float64, bytes int64) *bundle.UsageLine {
		return &bundle.UsageLine{Member: member, DataAtUnixNanos: int64(seconds * 1e9), DataBytes: &bytes}
	}
	own := bundletest.Uses("b", 12, 1, 1)
	own.DataBytes = own.CPUMicros
	got := withKubelets(t, taken(t, own), volume("a", 9, 9), volume("a", 12, 3), volume("b", 12, 8)).During([]string{"a", "b"}, evenly(10e9, 20e9), 600)
	a, b := got.Members[0], got.Members[1]
	if *a.VolumeMaxBytes != 3 || *b.VolumeMaxBytes != 8 || *got.VolumeMaxBytes != 11 || a.DataMaxBytes != nil || *b.DataMaxBytes != 1 || got.DataMaxBytes != nil || a.CoveredMicros != 0 {
		t.Errorf("%+v", got)
	}
}
