package loadgen

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kvbench/kvbench/internal/cgroupfs"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/stores/scripted"
)

// What a child process is told by its environment.
const (
	childDir   = "KVBENCH_TEST_BUNDLE" // where it leaves its bundle
	childRate  = "KVBENCH_TEST_RATE"   // 0 is for a closed loop
	childLoads = "KVBENCH_TEST_LOADS"  // so many records, instead of measuring
	childFor   = "KVBENCH_TEST_FOR"    // as long it measures
	childDoes  = "KVBENCH_TEST_DOES"   // to itself
)

const childMeasures = 5 * time.Second

// TestChild is no test by itself: it is what the tests below run as a process of its own, a
// worker on a store without faults. It says when it begins, and leaves a bundle.
func TestChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		return
	}
	perSecond, err := strconv.ParseFloat(os.Getenv(childRate), 64)
	if err != nil {
		t.Fatal(err)
	}
	records, err := strconv.ParseInt(os.Getenv(childLoads), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	load := plan.Load{Rate: perSecond, Arrivals: plan.ArrivalsConstant, MaxInFlight: 1000}
	if perSecond == 0 {
		load = plan.Load{Threads: closedThreads}
	}
	j, server, store := job(t, scripted.Script{ServiceTime: time.Millisecond}, preset(t, "A"), load)
	reportable(j)
	measures, err := time.ParseDuration(os.Getenv(childFor))
	if err != nil {
		t.Fatal(err)
	}
	j.Workload.DurationMillis = measures.Milliseconds()
	var start time.Time
	server.begun = func(at time.Time) {
		start = at
		fmt.Println(at.UnixNano())
		if does := toItself[os.Getenv(childDoes)]; does != nil {
			time.AfterFunc(time.Until(at), does)
		}
	}
	work := j.Measure
	if records > 0 {
		j.Workload.Records, j.Workload.LoadFirst, work = records, true, j.Load
		j.Armed = func() {
			start = time.Now()
			store.Begin(start)
			fmt.Println(start.UnixNano())
		}
	}
	if err := work(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, file := range bundleOf(t, j, server, start.Add(server.offset).UnixNano()) {
		if err := os.WriteFile(filepath.Join(dir, name), file.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const closedThreads = 8

// toItself is what a child may do to itself.
var toItself = map[string]func(){
	"burns": func() {
		for {
			runtime.Gosched()
		}
	},
	"collects": func() {
		// Each pause stops all of Go's processors: with many it is longer.
		runtime.GOMAXPROCS(64)
		for {
			runtime.GC()
		}
	},
}

// sabotage is what is wrong with a child.
type sabotage struct {
	perSecond int
	loads     int                                      // records
	measures  time.Duration                            // as long; 0 is for childMeasures
	does      string                                   // one of toItself
	cores     int                                      // that it uses at once; 0 is all
	procs     string                                   // a cgroup's file, to be in that group from the first on
	do        func(child *os.Process, start time.Time) // from its start on
}

// reasons runs the child, and gives those of its report.
func (s sabotage) reasons(t *testing.T) []report.Reason {
	t.Helper()
	return s.report(t).InvalidReasons
}

// report runs the child, and makes its report.
func (s sabotage) report(t *testing.T) *report.Report {
	t.Helper()
	dir := t.TempDir()
	child := exec.Command("/bin/sh", "-c", `echo $$ >"${0:-/dev/null}" && exec "$@"`, s.procs, os.Args[0], "-test.run=^TestChild$")
	child.Env = append(os.Environ(), childDir+"="+dir, childRate+"="+strconv.Itoa(s.perSecond), childLoads+"="+strconv.Itoa(s.loads),
		childFor+"="+cmp.Or(s.measures, childMeasures).String(), childDoes+"="+s.does)
	if s.cores > 0 {
		child.Env = append(child.Env, "GOMAXPROCS="+strconv.Itoa(s.cores))
	}
	child.Stderr = os.Stderr
	pipe, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { child.Process.Kill() })
	out := bufio.NewReader(pipe)
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	start, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if s.do != nil {
		s.do(child.Process, time.Unix(0, start))
	}
	rest, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err != nil {
		t.Fatalf("%v: %s", err, rest)
	}
	r, err := compute.FromBundle(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range r.InvalidReasons {
		t.Logf("%s: %s, seconds %v", reason.Reason, reason.Message, reason.Seconds)
	}
	return r
}

// wants sees that a report has a reason, for these seconds.
func wants(t *testing.T, reasons []report.Reason, reason string, seconds ...int64) {
	t.Helper()
	if !has(reasons, reason, seconds...) {
		t.Errorf("no %s with the seconds %v", reason, seconds)
	}
}

func has(reasons []report.Reason, reason string, seconds ...int64) bool {
	return slices.ContainsFunc(reasons, func(one report.Reason) bool {
		missing := func(second int64) bool { return !slices.Contains(one.Seconds, second) }
		return one.Reason == reason && !slices.ContainsFunc(seconds, missing)
	})
}

// stopFor stops the child for so long from when it stands still: until each of its threads has had a core
// to take the signal on, the child only waits.
func stopFor(t *testing.T, child *os.Process, long time.Duration) (stopped, continued time.Time) {
	t.Helper()
	if err := child.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := unix.Waitid(unix.P_PID, child.Pid, nil, unix.WSTOPPED, nil); err != nil {
		t.Fatal(err)
	}
	stopped = time.Now()
	time.Sleep(long)
	continued = time.Now()
	if err := child.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	return stopped, continued
}

func TestAWorkerThatIsStoppedFor200MillisecondsIsCaught(t *testing.T) {
	for _, perSecond := range []int{10, 1000} {
		t.Run(fmt.Sprintf("%d per second", perSecond), func(t *testing.T) {
			t.Parallel()
			for attempt := 1; ; attempt++ {
				r, seconds := stoppedFor200Milliseconds(t, perSecond)
				// What a thread waits for a core beside the stop is taken off.
				busy := *r.Workloads[0].Generator.CoreWaitMaxMicros > 30_000
				if has(r.InvalidReasons, report.GeneratorStopped, seconds...) || !busy || attempt == 3 {
					wants(t, r.InvalidReasons, report.GeneratorStopped, seconds...)
					return
				}
				t.Log("measured anew, since the machine was busy")
			}
		})
	}
}

// stoppedFor200Milliseconds is the report, and the seconds in which the worker stood still.
func stoppedFor200Milliseconds(t *testing.T, perSecond int) (r *report.Report, seconds []int64) {
	t.Helper()
	r = sabotage{perSecond: perSecond, do: func(child *os.Process, start time.Time) {
		time.Sleep(time.Until(start.Add(2500 * time.Millisecond)))
		from, to := stopFor(t, child, 200*time.Millisecond)
		for second := int64(from.Sub(start) / time.Second); second <= int64((to.Sub(start)-pulsePeriod)/time.Second); second++ {
			seconds = append(seconds, second)
		}
	}}.report(t)
	return r, seconds
}

// The neighbours have three threads for each core. The tests of other packages, in a higher
// priority than theirs, hardly feel them; the child, in a group of the least weight, does. Those
// of this package do something to CPU time themselves, so they come after it.
func TestAClosedLoopBesideBusyNeighboursIsCaught(t *testing.T) {
	for range 3 * runtime.NumCPU() {
		neighbour := exec.Command("nice", "-n", "10", "sh", "-c", "while :; do :; done")
		if err := neighbour.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			neighbour.Process.Kill()
			neighbour.Wait() // killed
		})
	}
	group := newCgroup(t)
	r := sabotage{procs: filepath.Join(group.dir, "cgroup.procs"), do: func(_ *os.Process, start time.Time) {
		time.Sleep(time.Until(start))
		group.weigh(t, "2", "1")
		time.Sleep(time.Until(start.Add(childMeasures - 500*time.Millisecond)))
		group.weigh(t, "1024", "100")
	}}.report(t)
	g := r.Workloads[0].Generator
	t.Logf("its threads waited for %d µs, one of them for %d", *g.CoreWaitMicros, *g.CoreWaitMaxMicros)
	wants(t, r.InvalidReasons, report.GeneratorStarved)
}

// 8 threads insert 8,000 records a second at most.
func TestALoaderThatIsStoppedIsCaught(t *testing.T) {
	t.Parallel()
	r := sabotage{loads: 20_000, do: func(child *os.Process, start time.Time) {
		time.Sleep(time.Until(start.Add(500 * time.Millisecond)))
		stopFor(t, child, 1500*time.Millisecond)
	}}.report(t)
	loading := r.Workloads[0].Loading
	if loading == nil || loading.Valid || loading.Insert.MaxMicros < 1_400_000 {
		t.Fatalf("the loading is %+v", loading)
	}
	wants(t, loading.InvalidReasons, report.GeneratorStopped, 1)
}

// A pod's quota may be its container's, or the pod's, which is above it.
func TestAWorkerWithoutCPUQuotaIsCaught(t *testing.T) {
	for _, of := range []string{"its own group", "the group above"} {
		t.Run(of, func(t *testing.T) {
			t.Parallel()
			group := newCgroup(t)
			own := group
			if of == "the group above" {
				own = group.below(t)
			}
			reasons := sabotage{perSecond: 1000, does: "burns", procs: filepath.Join(own.dir, "cgroup.procs"), do: func(_ *os.Process, start time.Time) {
				time.Sleep(time.Until(start))
				group.set(t, 5*time.Millisecond)
				time.Sleep(time.Until(start.Add(childMeasures - 200*time.Millisecond)))
				group.set(t, 0)
			}}.reasons(t)
			wants(t, reasons, report.GeneratorStarved, 1, 2, 3)
		})
	}
}

// Two bad seconds are forgiven, but not if they are all that there are.
func TestAClosedLoopWithoutCPUQuotaIsCaughtInAShortMeasurement(t *testing.T) {
	t.Parallel()
	group := newCgroup(t)
	reasons := sabotage{measures: 2 * time.Second, procs: filepath.Join(group.dir, "cgroup.procs"), does: "burns", do: func(_ *os.Process, start time.Time) {
		time.Sleep(time.Until(start))
		group.set(t, 5*time.Millisecond)
		time.Sleep(time.Until(start.Add(1800 * time.Millisecond)))
		group.set(t, 0)
	}}.reasons(t)
	wants(t, reasons, report.GeneratorStarved)
	if !slices.ContainsFunc(reasons, func(r report.Reason) bool { return strings.Contains(r.Message, "quota") }) {
		t.Errorf("no reason is the quota: %+v", reasons)
	}
}

func TestAWorkerWhoseGarbageCollectorWorksAllTheTimeIsCaught(t *testing.T) {
	t.Parallel()
	reasons := sabotage{perSecond: 1000, does: "collects"}.reasons(t)
	wants(t, reasons, report.GeneratorPaused, 1, 2, 3)
}

// cgroup is one below this process's, with a CPU quota.
type cgroup struct {
	dir string
	v1  bool
}

// newCgroup needs root.
func newCgroup(t *testing.T) *cgroup {
	t.Helper()
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("kvbench-test-%d-%d", os.Getpid(), cgroups.Add(1))
	g := &cgroup{dir: filepath.Join("/sys/fs/cgroup", name)}
	for _, stats := range cgroupfs.Files(text, "cpu", "cpu.stat", "cpu.stat") {
		// A group of version 2 that has processes has no groups with a quota below it.
		if g.v1 = strings.HasPrefix(stats, "/sys/fs/cgroup/cpu/"); g.v1 {
			g.dir = filepath.Join(filepath.Dir(stats), name)
			break
		}
	}
	g.make(t)
	return g
}

// below is a group in this one.
func (g *cgroup) below(t *testing.T) *cgroup {
	t.Helper()
	below := &cgroup{dir: filepath.Join(g.dir, "below"), v1: g.v1}
	below.make(t)
	return below
}

func (g *cgroup) make(t *testing.T) {
	t.Helper()
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		t.Fatalf("this test makes a cgroup with a CPU quota, for which it must run as root: %v", err)
	}
	t.Cleanup(func() {
		if err := os.Remove(g.dir); err != nil {
			t.Errorf("the cgroup stays: %v", err)
		}
	})
}

var cgroups atomic.Int64

// set gives the group so much CPU in each 100 ms; 0 is no quota.
func (g *cgroup) set(t *testing.T, quota time.Duration) {
	t.Helper()
	switch {
	case g.v1 && quota == 0:
		g.write(t, "cpu.cfs_quota_us", "-1")
	case g.v1:
		g.write(t, "cpu.cfs_period_us", "100000")
		g.write(t, "cpu.cfs_quota_us", strconv.FormatInt(quota.Microseconds(), 10))
	case quota == 0:
		g.write(t, "cpu.max", "max")
	default:
		g.write(t, "cpu.max", fmt.Sprintf("%d 100000", quota.Microseconds()))
	}
}

// weigh gives the group that weight against its neighbours, in the terms of version 1 or 2.
func (g *cgroup) weigh(t *testing.T, shares, weight string) {
	t.Helper()
	if g.v1 {
		g.write(t, "cpu.shares", shares)
	} else {
		g.write(t, "cpu.weight", weight)
	}
}

func (g *cgroup) write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(g.dir, file), []byte(text), 0); err != nil {
		t.Fatal(err)
	}
}
