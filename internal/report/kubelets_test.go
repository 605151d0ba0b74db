package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// ofPod is what a kubelet said of a member's pod so many seconds after the epoch.
func ofPod(member, pod string, seconds float64, cpuMicros, workingSetBytes int64) *bundle.UsageLine {
	return &bundle.UsageLine{Member: member, Pod: pod, AtUnixNanos: int64(seconds * 1e9), CPUMicros: &cpuMicros, WorkingSetBytes: &workingSetBytes}
}

func withKubelets(t *testing.T, u *allUsages, lines ...*bundle.UsageLine) *allUsages {
	t.Helper()
	for _, line := range lines {
		if err := u.addLine(line); err != nil {
			t.Fatal(err)
		}
	}
	u.pods.sort()
	u.volumes.sort()
	return u
}

func TestTheKubeletsWordCountsWhereTheStoreSaysLittle(t *testing.T) {
	kubelet := []*bundle.UsageLine{
		ofPod("a", "1", 5, 0, 70), ofPod("a", "1", 25, 40e6, 80),
		ofPod("b", "2", 5, 0, 60), ofPod("b", "2", 14, 9e6, 90), ofPod("b", "2", 25, 20e6, 60),
	}
	for name, c := range map[string]struct {
		store   []stores.Usage
		cores   float64
		from    string
		covered int64
	}{
		"the store says nothing":     {nil, 2, FromKubelet, 10e6},
		"the store says all":         {[]stores.Usage{uses("a", 9, 0, 5), uses("a", 21, 6e6, 5)}, 0.5, FromStore, 10e6},
		"the store says four fifths": {[]stores.Usage{uses("a", 9, 0, 5), uses("a", 18, 9e6, 5)}, 1, FromStore, 8e6},
		"the store says less":        {[]stores.Usage{uses("a", 9, 0, 5), uses("a", 17, 8e6, 5)}, 2, FromKubelet, 10e6},
	} {
		got := withKubelets(t, taken(t, c.store...), kubelet...).during([]string{"a", "b"}, evenly(10e9, 20e9), 600)
		a, b := got.Members[0], got.Members[1]
		if !almost(a.Cores, c.cores) || a.CoresFrom != c.from || a.CoveredMicros != c.covered || a.Restarted {
			t.Errorf("%s: a: %+v, %v cores", name, a, *a.Cores)
		}
		if !almost(b.Cores, 1) || b.CoresFrom != FromKubelet || *b.WorkingSetMaxBytes != 90 || a.WorkingSetMaxBytes != nil {
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
		u := &allUsages{}
		for member, sizes := range map[string][]int64{"a": c.a, "b": c.b} {
			if sizes == nil {
				continue
			}
			for i, size := range sizes {
				withKubelets(t, u, ofPod(member, member, float64(11+i), 5, size))
			}
			last := 21.0
			if member == "a" {
				last = c.last
			}
			withKubelets(t, u, ofPod(member, member, 9, 5, 1), ofPod(member, member, last, 5, 1))
		}
		got := u.during([]string{"a", "b"}, evenly(10e9, 20e9), 600)
		if got.OperationsPerCoreSecond != nil || (got.OperationsPerWorkingSetGibibyteSecond == nil) != (c.want == 0) {
			t.Errorf("%s: %+v", name, got)
		}
		if c.want != 0 && !almost(got.OperationsPerWorkingSetGibibyteSecond, c.want) {
			t.Errorf("%s: %v, want %v", name, *got.OperationsPerWorkingSetGibibyteSecond, c.want)
		}
		var text strings.Builder
		got.markdown(&text)
		if shown := strings.Contains(text.String(), number(c.want)+" operations/s for each GiB of working set"); shown != (c.want != 0) {
			t.Errorf("%s: shown is %t in\n%s", name, shown, text.String())
		}
	}
}

func TestAPodThatTookOverIsNotAveragedWithTheOld(t *testing.T) {
	// The other pod used more than the first one by its second look: its count alone doesn't tell.
	got := withKubelets(t, &allUsages{}, ofPod("a", "1", 10, 1e6, 5), ofPod("a", "1", 12, 3e6, 5), ofPod("a", "2", 16, 9e6, 5), ofPod("a", "2", 20, 13e6, 5)).
		during([]string{"a"}, evenly(10e9, 20e9), 600).Members[0]
	if !got.Restarted || got.CoveredMicros != 6e6 || !almost(got.Cores, 1) {
		t.Errorf("%+v", got)
	}
}

func TestAVolumeIsNotTheStoresData(t *testing.T) {
	volume := func(member string, seconds float64, bytes int64) *bundle.UsageLine {
		return &bundle.UsageLine{Member: member, DataAtUnixNanos: int64(seconds * 1e9), DataBytes: &bytes}
	}
	own := uses("b", 12, 1, 1)
	own.DataBytes = own.CPUMicros
	got := withKubelets(t, taken(t, own), volume("a", 9, 9), volume("a", 12, 3), volume("b", 12, 8)).during([]string{"a", "b"}, evenly(10e9, 20e9), 600)
	a, b := got.Members[0], got.Members[1]
	if *a.VolumeMaxBytes != 3 || *b.VolumeMaxBytes != 8 || *got.VolumeMaxBytes != 11 || a.DataMaxBytes != nil || *b.DataMaxBytes != 1 || got.DataMaxBytes != nil || a.CoveredMicros != 0 {
		t.Errorf("%+v", got)
	}
}

func TestKubeletsFilesAreReadAsTheyAre(t *testing.T) {
	const first, second = "kubelet-11111111-1111-1111-1111-111111111111.jsonl", "kubelet-22222222-2222-2222-2222-222222222222.jsonl"
	text := func(lines ...*bundle.UsageLine) string {
		var all strings.Builder
		for _, line := range lines {
			encoded, err := json.Marshal(line)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(append(encoded, '\n'))
		}
		return all.String()
	}
	read := func(contents map[string]string) *reader {
		fsys := files{}
		for name, content := range contents {
			fsys.put(name, []byte(content))
		}
		r := &reader{fsys: fsys.fs(), in: &Input{}}
		if err := r.listFiles(); err != nil {
			t.Fatal(err)
		}
		r.readKubelets()
		return r
	}
	// Two controllers, of which the first was killed in a line.
	r := read(map[string]string{
		first:  text(ofPod("a", "1", 10, 0, 5)) + `{"member":"a"`,
		second: text(ofPod("a", "1", 20, 10e6, 5)),
	})
	if got := r.in.Usages.during([]string{"a"}, evenly(10e9, 20e9), 1); len(r.in.Problems) > 0 || !almost(got.Cores, 1) {
		t.Errorf("%v, %+v", r.in.Problems, got)
	}
	negative := int64(-1)
	for name, content := range map[string]string{
		"no line":       "x\n",
		"too long":      text(&bundle.UsageLine{Pod: strings.Repeat("x", maxName+1)}),
		"negative":      text(&bundle.UsageLine{CPUMicros: &negative}),
		"negative data": text(&bundle.UsageLine{DataBytes: &negative}),
	} {
		r := read(map[string]string{first: text(ofPod("a", "1", 10, 0, 5), ofPod("a", "1", 14, 4e6, 5)) + content + text(ofPod("a", "1", 20, 99e6, 5))})
		if got := r.in.Usages.during([]string{"a"}, evenly(10e9, 20e9), 1); len(r.in.Problems) != 0 || got.Members[0].CoveredMicros != 4e6 {
			t.Errorf("%s: %v, %+v", name, r.in.Problems, got)
		}
	}
}
