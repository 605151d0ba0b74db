package usage

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/stores"
)

func taken(t *testing.T, all ...stores.Usage) *Sources {
	t.Helper()
	u := &Sources{}
	if err := u.Members.Take(bundletest.Told(all...)); err != nil {
		t.Fatal(err)
	}
	u.Members.Sort()
	return u
}

// evenly is a period with the same load before and after it.
func evenly(from, until instant.Unix) Period {
	return Period{From: from, Until: until, EvenUntil: math.MaxInt64}
}

func almost(got *float64, want float64) bool { return got != nil && math.Abs(*got-want) < 1e-9 }

func TestWhatMembersUsedIsThatOfTheMeasurement(t *testing.T) {
	u := taken(t,
		// One core before, two within, none after; the begin and the end lie between two looks.
		collected(bundletest.Uses("a", 8, 0, 900), 0), collected(bundletest.Uses("a", 9, 1e6, 10), 0), collected(bundletest.Uses("a", 11, 5e6, 30), 20_000),
		collected(bundletest.Uses("a", 19, 21e6, 20), 100_000), collected(bundletest.Uses("a", 21, 25e6, 800), 120_000),
		bundletest.Uses("b", 10, 0, 5), bundletest.Uses("b", 19.5, 95e5, 5),
	)
	got := u.During([]string{"a", "b"}, evenly(10e9, 20e9), 600)
	a, b := got.Members[0], got.Members[1]
	if a.CoveredMicros != 10e6 || !almost(a.Cores, 2) || !almost(a.CollectorShare, 0.01) || *a.ResidentMaxBytes != 30 || a.DataMaxBytes != nil || a.Restarted {
		t.Errorf("a: %+v", a)
	}
	if b.CoveredMicros != 95e5 || !almost(b.Cores, 1) || b.CollectorShare != nil {
		t.Errorf("b: %+v", b)
	}
	if !almost(got.Cores, 3) || !almost(got.OperationsPerCoreSecond, 200) || *got.ResidentMaxBytes != 35 || got.DataMaxBytes != nil {
		t.Errorf("%+v", got)
	}
}

func collected(u stores.Usage, micros int64) stores.Usage { u.CollectorMicros = &micros; return u }

func TestTheCollectorsShareStandsForFourFifthsOfTheMeasurement(t *testing.T) {
	pod := []*bundle.UsageLine{bundletest.OfPod("a", "1", 5, 0, 70), bundletest.OfPod("a", "1", 25, 40e6, 80)}
	for name, c := range map[string]struct {
		Members []stores.Usage
		want    float64 // -1 is unknown
	}{
		"all": {[]stores.Usage{collected(bundletest.Uses("a", 9, 0, 5), 0), collected(bundletest.Uses("a", 21, 12e6, 5), 1_200_000)}, 0.1},
		"looks that don't tell it are no part of it": {
			[]stores.Usage{collected(bundletest.Uses("a", 10, 0, 5), 0), collected(bundletest.Uses("a", 18, 8e6, 5), 800_000), bundletest.Uses("a", 20, 10e6, 5)}, 0.1,
		},
		"little of the measurement": {
			[]stores.Usage{collected(bundletest.Uses("a", 10, 0, 5), 0), collected(bundletest.Uses("a", 17, 7e6, 5), 700_000), bundletest.Uses("a", 20, 10e6, 5)}, -1,
		},
		"little, and the kubelet tells of the cores": {
			[]stores.Usage{collected(bundletest.Uses("a", 10, 0, 5), 0), collected(bundletest.Uses("a", 13, 3e6, 5), 300_000)}, -1,
		},
		"without a word of the cores": {[]stores.Usage{
			collected(stores.Usage{Member: "a", AtUnixNanos: 10e9}, 0), collected(stores.Usage{Member: "a", AtUnixNanos: 20e9}, 1_000_000),
		}, 0.1},
		"it went back": {
			[]stores.Usage{collected(bundletest.Uses("a", 10, 0, 5), 500_000), collected(bundletest.Uses("a", 13, 3e6, 5), 0), collected(bundletest.Uses("a", 20, 10e6, 5), 700_000)}, -1,
		},
	} {
		got := withKubelets(t, taken(t, c.Members...), pod...).During([]string{"a"}, evenly(10e9, 20e9), 600).Members[0]
		if (got.CollectorShare == nil) != (c.want < 0) || c.want >= 0 && !almost(got.CollectorShare, c.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestAProcessIsKnownByMoreThanItsCount(t *testing.T) {
	of := func(u stores.Usage, process uint64) stores.Usage { u.Process = process; return u }
	for name, c := range map[string]struct {
		Members   []stores.Usage
		restarted bool
		covered   int64
	}{
		"the same": {[]stores.Usage{of(bundletest.Uses("a", 10, 1e6, 5), 7), of(bundletest.Uses("a", 14, 5e6, 5), 7), of(bundletest.Uses("a", 20, 9e6, 5), 7)}, false, 10e6},
		"another one that has caught up": {
			[]stores.Usage{of(bundletest.Uses("a", 10, 1e6, 5), 7), of(bundletest.Uses("a", 14, 5e6, 5), 7), of(bundletest.Uses("a", 16, 6e6, 5), 8), of(bundletest.Uses("a", 20, 9e6, 5), 8)}, true, 8e6,
		},
		"one that isn't told for a moment": {
			[]stores.Usage{of(bundletest.Uses("a", 10, 1e6, 5), 7), bundletest.Uses("a", 14, 5e6, 5), of(bundletest.Uses("a", 20, 9e6, 5), 7)}, false, 10e6,
		},
		"another one before the measurement": {
			[]stores.Usage{of(bundletest.Uses("a", 6, 1e6, 5), 7), of(bundletest.Uses("a", 9, 5e6, 5), 8), of(bundletest.Uses("a", 20, 9e6, 5), 8)}, false, 10e6,
		},
		"nobody tells": {[]stores.Usage{bundletest.Uses("a", 10, 1e6, 5), bundletest.Uses("a", 20, 9e6, 5)}, false, 10e6},
		"without a word of the cores": {[]stores.Usage{
			of(stores.Usage{Member: "a", AtUnixNanos: 10e9}, 7), of(stores.Usage{Member: "a", AtUnixNanos: 15e9, CPUMicros: new(int64)}, 8),
		}, true, 0},
	} {
		got := taken(t, c.Members...).Members.of("a", evenly(10e9, 20e9), 0)
		if got.Restarted != c.restarted || got.CoveredMicros != c.covered {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A kubelet's count of a pod goes on when its container is ended, and some stores tell none.
func TestAMemberThatAFaultEndedWasRestarted(t *testing.T) {
	const measured = 20 * bundletest.Second
	at := func(micros int64) *report.Bracket {
		return &report.Bracket{After: report.Moment{SinceStartMicros: report.FromMeasurement(micros)}}
	}
	for name, c := range map[string]struct {
		fault     report.Fault
		restarted bool
	}{
		"a process":            {report.Fault{Action: "ContainerKill", Target: "a", Effective: true, InjectedAt: at(8 * bundletest.Second)}, true},
		"a pod":                {report.Fault{Action: "PodKill", Target: "a", Effective: true, InjectedAt: at(8 * bundletest.Second)}, true},
		"of several":           {report.Fault{Action: "PodKill", Targets: []string{"b", "a"}, Effective: true, InjectedAt: at(8 * bundletest.Second)}, true},
		"of another member":    {report.Fault{Action: "PodKill", Target: "b", Effective: true, InjectedAt: at(8 * bundletest.Second)}, false},
		"without effect":       {report.Fault{Action: "PodKill", Target: "a", InjectedAt: at(8 * bundletest.Second)}, false},
		"not injected":         {report.Fault{Action: "PodKill", Target: "a"}, false},
		"after the end":        {report.Fault{Action: "PodKill", Target: "a", Effective: true, InjectedAt: at(measured)}, false},
		"one that ends no one": {report.Fault{Action: "NetworkDelay", Target: "a", Effective: true, InjectedAt: at(8 * bundletest.Second)}, false},
	} {
		used := withKubelets(t, &Sources{}, bundletest.OfPod("a", "1", 9, 0, 5), bundletest.OfPod("a", "1", 21, 12e6, 5)).During([]string{"a"}, evenly(10e9, 20e9), 600)
		NoteEnded(used, []report.Fault{c.fault}, measured)
		if m := used.Members[0]; m.Restarted != c.restarted || m.CoveredMicros != 10e6 {
			t.Errorf("%s: %+v", name, m)
		}
	}
	// A process that wasn't back at the end met no other one.
	used := taken(t, bundletest.Uses("a", 9, 0, 5), bundletest.Uses("a", 18.5, 95e5, 5)).During([]string{"a"}, evenly(10e9, 20e9), 600)
	if used.OperationsPerCoreSecond == nil {
		t.Errorf("without a fault: %+v", used)
	}
	NoteEnded(used, []report.Fault{{Action: "PodKill", Target: "a", Effective: true, InjectedAt: at(8 * bundletest.Second)}}, 10*bundletest.Second)
	if used.Cores != nil || used.OperationsPerCoreSecond != nil || !almost(used.Members[0].Cores, 1) {
		t.Errorf("it was away at the end: %+v", used)
	}
	// Of a pod that was made anew no kubelet told.
	gone := withKubelets(t, &Sources{}, bundletest.OfPod("a", "1", 9, 0, 5), bundletest.OfPod("a", "1", 18.5, 95e5, 5)).During([]string{"a"}, evenly(10e9, 20e9), 600)
	NoteEnded(gone, []report.Fault{{Action: "ContainerKill", Target: "a", Effective: true, InjectedAt: at(8 * bundletest.Second)}}, 10*bundletest.Second)
	if gone.OperationsPerCoreSecond == nil {
		t.Errorf("the same pod's count goes on: %+v", gone)
	}
	NoteEnded(gone, []report.Fault{{Action: "PodKill", Target: "a", Effective: true, InjectedAt: at(8 * bundletest.Second)}}, 10*bundletest.Second)
	if gone.Cores != nil || gone.OperationsPerCoreSecond != nil {
		t.Errorf("its pod was away at the end: %+v", gone)
	}
	var nobodyTold *report.Usage
	NoteEnded(nobodyTold, []report.Fault{{Action: "PodKill", Effective: true, InjectedAt: at(0)}}, measured)
}

// A store that tells of no process, and the count of a pod, don't show that a container ended by itself.
func TestAMemberThatEndedByItselfWasRestarted(t *testing.T) {
	began := time.Date(2026, 11, 28, 22, 0, 0, 400e6, time.UTC)
	for at, restarted := range map[string]bool{
		"2026-11-28T21:59:58Z": false, "2026-11-28T22:00:00Z": true, "2026-11-28T22:00:10Z": true, "2026-11-28T22:00:11Z": false, "soon": false,
	} {
		used := withKubelets(t, &Sources{}, bundletest.OfPod("a", "1", 9, 0, 5), bundletest.OfPod("a", "1", 21, 12e6, 5)).During([]string{"a"}, evenly(10e9, 20e9), 600)
		NoteEnds(used, []bundle.Pod{
			{Name: "b", Role: bundle.PodMember, LastEnd: &bundle.ContainerEnd{At: "2026-11-28T22:00:05Z"}}, {Name: "a", Role: bundle.PodWorker, LastEnd: &bundle.ContainerEnd{At: "2026-11-28T22:00:05Z"}},
			{Name: "a", Role: bundle.PodMember}, {Name: "a", Role: bundle.PodMember, LastEnd: &bundle.ContainerEnd{At: at}},
		}, began, 10*time.Second)
		if used.Members[0].Restarted != restarted {
			t.Errorf("%s: %v", at, used.Members[0].Restarted)
		}
	}
	NoteEnds(nil, []bundle.Pod{{Name: "a"}}, began, time.Second)
	// A process that wasn't back at the end met no other one.
	used := taken(t, bundletest.Uses("a", 9, 0, 5), bundletest.Uses("a", 18.5, 95e5, 5)).During([]string{"a"}, evenly(10e9, 20e9), 600)
	NoteEnds(used, []bundle.Pod{{Name: "a", Role: bundle.PodMember, LastEnd: &bundle.ContainerEnd{At: "2026-11-28T22:00:09Z"}}}, began, 10*time.Second)
	if used.Cores != nil || used.OperationsPerCoreSecond != nil || !used.Members[0].Restarted {
		t.Errorf("it was away at the end: %+v", used)
	}
}

func TestAProcessThatCameAnewIsNotAveragedWithTheOld(t *testing.T) {
	u := taken(t, bundletest.Uses("a", 10, 50e6, 5), bundletest.Uses("a", 14, 54e6, 5), bundletest.Uses("a", 16, 1e6, 5), bundletest.Uses("a", 20, 5e6, 5))
	got := u.During([]string{"a"}, evenly(10e9, 20e9), 600)
	if m := got.Members[0]; !m.Restarted || m.CoveredMicros != 8e6 || !almost(m.Cores, 1) || got.Cores != nil || got.OperationsPerCoreSecond != nil {
		t.Errorf("%+v of %+v", got, m)
	}
	// The pod stayed, and its kubelet saw all: also what was used, and not, while no process was there.
	got = withKubelets(t, u, bundletest.OfPod("a", "1", 9, 0, 5), bundletest.OfPod("a", "1", 21, 9.6e6, 5)).During([]string{"a"}, evenly(10e9, 20e9), 600)
	if m := got.Members[0]; !m.Restarted || m.CoresFrom != report.FromKubelet || !almost(got.Cores, 0.8) || !almost(got.OperationsPerCoreSecond, 750) {
		t.Errorf("with a kubelet: %+v of %+v", got, m)
	}
}

// A look that comes after an idle time, or before one, would have it spread over the load.
func TestALookOutsideOfTheLoadCountsIfItFalsifiesLittle(t *testing.T) {
	for name, c := range map[string]struct {
		before, after float64 // seconds of the looks around the end
		covered       int64
	}{
		"a moment after":        {19, 20.2, 10e6},      // 1 s of 1.2 s, 0.2 s outside: 1.7 %
		"long after":            {16, 24, 6e6},         // 4 s of 8 s: 20 %
		"in the cool-down":      {16, 20.1, 10e6},      // nothing outside of what lasts to 20.1 s, as good as
		"the one before is old": {10.5, 20.5, 500_000}, // 9.5 s of 10 s, 0.4 s outside: 3.8 %
	} {
		u := taken(t, bundletest.Uses("a", 9.9, 0, 5), bundletest.Uses("a", c.before, 1e6, 5), bundletest.Uses("a", c.after, 2e6, 5))
		got := u.During([]string{"a"}, Period{From: 10e9, Until: 20e9, evenFrom: 9.9e9, EvenUntil: 20.1e9}, 600)
		if m := got.Members[0]; m.CoveredMicros != c.covered || m.Restarted {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func TestTooLittleIsNotAddedUp(t *testing.T) {
	seen := []stores.Usage{bundletest.Uses("a", 10, 0, 5), bundletest.Uses("a", 20, 10e6, 5)}
	for name, all := range map[string][]stores.Usage{
		"a member that told nothing": seen,
		"a member that told once":    append(slices.Clone(seen), bundletest.Uses("b", 12, 7, 5)),
		"a member seen for a while":  append(slices.Clone(seen), bundletest.Uses("b", 10, 0, 5), bundletest.Uses("b", 17, 7, 5)),
	} {
		if got := taken(t, all...).During([]string{"a", "b"}, evenly(10e9, 20e9), 600); got == nil || got.Cores != nil || got.OperationsPerCoreSecond != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := taken(t, seen...).During([]string{"b"}, evenly(10e9, 20e9), 600); got != nil {
		t.Errorf("nobody told anything, and it is %+v", got)
	}
	idle := taken(t, bundletest.Uses("a", 10, 3, 5), bundletest.Uses("a", 20, 3, 5))
	if got := idle.During([]string{"a"}, evenly(10e9, 20e9), 600); !almost(got.Cores, 0) || got.OperationsPerCoreSecond != nil {
		t.Errorf("an idle member: %+v", got)
	}
}

func TestUsageThatNoMemberHasIsRefused(t *testing.T) {
	negative, huge := int64(-1), int64(math.MaxInt64)
	for name, one := range map[string]stores.Usage{
		"negative":    {Member: "a", CPUMicros: &negative},
		"too much":    {Member: "a", DataBytes: &huge},
		"a long name": {Member: strings.Repeat("a", report.MaxName+1)},
	} {
		var u Samples
		line := bundletest.Told(one)
		if err := u.Take(line); err == nil || line.Usage != nil {
			t.Errorf("%s: %v, and %v is left", name, err, line.Usage)
		}
	}
}

func TestALongRunKeepsWhatItsMembersUsedInFewSamples(t *testing.T) {
	u := &Samples{}
	const seconds = 3 * maxUsages / 2
	for i := range seconds {
		one := newSample(int64(i) * 1e9)
		one.cpuMicros, one.residentBytes, one.workingSetBytes = int64(i)*5e5, 10, 20
		if i == seconds/4+1 {
			one.residentBytes, one.workingSetBytes = 99, 98
		}
		if err := u.add("a", one); err != nil {
			t.Fatal(err)
		}
	}
	got := u.of("a", evenly(0, seconds*1e9), 0)
	if n := len(u.members["a"]); n != u.total || n > maxUsages || got.CoveredMicros < (seconds-4)*1e6 || !almost(got.Cores, 0.5) || *got.ResidentMaxBytes != 99 || *got.WorkingSetMaxBytes != 98 {
		t.Errorf("%d samples, and %+v", n, got)
	}
}
