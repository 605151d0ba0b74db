package seconds_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/charts"
	"github.com/kvbench/kvbench/internal/report/documents"
	"github.com/kvbench/kvbench/internal/report/reporttest"
	"github.com/kvbench/kvbench/internal/results/live/seconds"
)

// files are those of a run, as far as they have come.
type files struct {
	all   map[string][]byte
	shown map[string]int
	// late come only with all.
	late map[string]bool
}

func (f *files) names() (names []string) {
	for name := range f.all {
		mark := strings.HasSuffix(name, ".end")
		whole := f.shown[strings.TrimSuffix(name, ".end")] == len(f.all[strings.TrimSuffix(name, ".end")])
		if !mark || whole {
			names = append(names, name)
		}
	}
	return names
}

func (f *files) read(name string, offset int64, most int) ([]byte, error) {
	text := f.all[name][:f.shown[name]]
	return text[min(int(offset), len(text)):min(int(offset)+most, len(text))], nil
}

// grow shows what has come up to that Unix second: files come one after the other, in pieces.
func (f *files) grow(second int64, pieces bool) {
	for name, text := range f.all {
		if f.late[name] {
			continue
		}
		until, shown := second-rand.Int64N(3), 0
		for line := range bytes.Lines(text) {
			if at, ok := secondOf(line); ok && at > until {
				if pieces {
					shown += rand.IntN(len(line))
				}
				break
			}
			shown += len(line)
		}
		f.shown[name] = max(f.shown[name], shown)
	}
}

// secondOf is when a line is written.
func secondOf(line []byte) (int64, bool) {
	if row := reporttest.RowBegin(line); row != nil {
		at, err := strconv.ParseFloat(string(row), 64)
		return int64(at) + 1, err == nil
	}
	var stamped struct{ AtUnixNanos int64 }
	err := json.Unmarshal(line, &stamped)
	return stamped.AtUnixNanos / 1e9, err == nil && stamped.AtUnixNanos > 0
}

func stored(t *testing.T, name string) (*files, seconds.Workload, *charts.Charts) {
	t.Helper()
	archive := reporttest.Archive(t, filepath.Join("../../../report/compute/testdata/golden", name, "bundle.tar.gz"))
	f := &files{all: map[string][]byte{}, shown: map[string]int{}, late: map[string]bool{}}
	must(t, fs.WalkDir(archive, ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			f.all[path], err = fs.ReadFile(archive, path)
		}
		return err
	}))
	for name, text := range f.all {
		if strings.HasSuffix(name, ".hlog") {
			f.all[name] = reporttest.ByTime(text)
		}
	}
	var p plan.Plan
	must(t, json.Unmarshal(f.all[bundle.PlanFile], &p))
	var start bundle.Start
	must(t, json.Unmarshal(f.all[bundle.StartFile(p.Workloads[0].Name)], &start))
	made, err := documents.FromBundle(archive)
	must(t, err)
	document, err := made.Charts()
	must(t, err)
	drawn := &charts.Charts{}
	must(t, json.Unmarshal(document, drawn))
	load := p.Workloads[0].Load
	return f, seconds.Workload{Name: p.Workloads[0].Name, Workers: load.Workers, WarmupMillis: load.WarmupMillis, Start: time.Unix(0, start.StartUnixNanos)}, drawn
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// far is later than all that the stored runs have.
var far = time.Unix(1<<33, 0)

// follow reads while the files grow, to the end.
func follow(t *testing.T, f *files, w seconds.Workload, c *seconds.Course, pieces bool) (all []seconds.Second) {
	t.Helper()
	for at := w.Start.Unix(); at < w.Start.Unix()+50; at++ {
		f.grow(at, pieces)
		for more := true; more; {
			told, again, err := c.Step(f.names(), f.read, far)
			must(t, err)
			all, more = append(all, told...), again
		}
	}
	return all
}

// atOnce reads files that are all there.
func atOnce(t *testing.T, f *files, c *seconds.Course) (all []seconds.Second) {
	t.Helper()
	for name, text := range f.all {
		if !f.late[name] {
			f.shown[name] = len(text)
		}
	}
	for more := true; more; {
		told, again, err := c.Step(f.names(), f.read, far)
		must(t, err)
		all, more = append(all, told...), again
	}
	return all
}

func TestTheSecondsHaveWhatTheReportHas(t *testing.T) {
	for _, name := range []string{"leader-kill", "closed-loop"} {
		t.Run(name, func(t *testing.T) {
			f, workload, drawn := stored(t, name)
			c := seconds.New(workload, 0)
			all := follow(t, f, workload, c, true)
			if !c.Over() {
				t.Error("all files have ended, and it isn't over")
			}
			of := drawn.Workloads[0]
			counts, successes, heat, failed := map[string]int64{}, int64(0), int64(0), int64(0)
			for i, s := range all {
				if s.UnixSeconds != workload.Start.Unix()+int64(i) {
					t.Fatalf("second %d is told as %d", workload.Start.Unix()+int64(i), s.UnixSeconds)
				}
				if len(s.MissingWorkers) > 0 {
					t.Errorf("second %d lacks workers %v", s.Second, s.MissingWorkers)
				}
				for _, o := range s.Operations {
					if o.Outcome == "ok" {
						counts[o.Operation] += o.Count
					}
					if o.Outcome == "ok" && !o.Part {
						successes += o.Count
					}
					if o.Outcome != "ok" && !o.Part {
						failed += o.Count
					}
				}
				for j := 1; j < len(s.Heat); j += 2 {
					heat += s.Heat[j]
				}
			}
			for _, o := range of.Operations {
				if got, want := counts[o.Operation], sum(o.Count); got != want {
					t.Errorf("%s: %d successes, and the charts have %d", o.Operation, got, want)
				}
			}
			if want := sum(of.Counts.OK); successes != want || heat != want {
				t.Errorf("%d successes, %d in the heat map, and the charts have %d", successes, heat, want)
			}
			if want := sum(of.Counts.Failed) + sum(of.Counts.Unknown); failed != want {
				t.Errorf("%d didn't succeed, and the charts have %d", failed, want)
			}
		})
	}
}

func sum(all []int64) (n int64) {
	for _, one := range all {
		n += one
	}
	return n
}

func TestASecondIsTheSameHoweverTheFilesCome(t *testing.T) {
	f, workload, _ := stored(t, "leader-kill")
	first := atOnce(t, f, seconds.New(workload, 0))
	for range 3 {
		f.shown = map[string]int{}
		again := follow(t, f, workload, seconds.New(workload, 0), true)
		if !reflect.DeepEqual(withoutMembers(again), withoutMembers(first)) {
			t.Fatal("the files came in other pieces, and other seconds are told")
		}
	}
	// A server that has begun anew reads files that are there.
	from := first[len(first)/2].UnixSeconds
	rest := atOnce(t, f, seconds.New(workload, from))
	if !reflect.DeepEqual(withoutMembers(rest), withoutMembers(first[len(first)/2:])) {
		t.Error("from the middle on, other seconds are told")
	}
	if rest[0].Store == nil || len(rest[0].Store.Members) == 0 {
		t.Error("the first second that is told lacks the members")
	}
}

// withoutMembers leaves out what may come later than the second that it is of.
func withoutMembers(all []seconds.Second) (rest []seconds.Second) {
	for _, s := range all {
		s.Store = nil
		rest = append(rest, s)
	}
	return rest
}

func TestASecondWaitsForAllWorkersAndNotForEver(t *testing.T) {
	f, workload, _ := stored(t, "leader-kill")
	for name := range f.all {
		w, _, ok := bundle.ParseFile(strings.TrimSuffix(name, ".end"))
		f.late[name] = ok && w.Role == bundle.RoleWorker && w.Index == workload.Workers-1
	}
	told := follow(t, f, workload, seconds.New(workload, 0), false)
	total := len(told)
	for _, s := range told {
		if !reflect.DeepEqual(s.MissingWorkers, []int{workload.Workers - 1}) {
			t.Fatalf("second %d is told, and lacks %v", s.Second, s.MissingWorkers)
		}
	}
	f.late, f.shown = map[string]bool{}, map[string]int{}
	if all := atOnce(t, f, seconds.New(workload, 0)); total >= len(all) {
		t.Errorf("a worker sent nothing, and %d of %d seconds are told", total, len(all))
	}
}

func TestABrokenFileBreaksItsWorkerAlone(t *testing.T) {
	f, workload, _ := stored(t, "leader-kill")
	for name, text := range f.all {
		if w, kind, ok := bundle.ParseFile(name); ok && w.Role == bundle.RoleWorker && w.Index == 0 && kind == bundle.Hlog {
			half := bytes.LastIndexByte(text[:len(text)/2], '\n') + 1
			f.all[name] = append(bytes.Clone(text[:half]), "Tag=<b>,1,1,1,x\n"...)
		}
	}
	all := atOnce(t, f, seconds.New(workload, 0))
	if len(all[0].MissingWorkers) > 0 || !reflect.DeepEqual(all[len(all)-1].MissingWorkers, []int{0}) {
		t.Errorf("the first second lacks %v, the last one %v", all[0].MissingWorkers, all[len(all)-1].MissingWorkers)
	}
}

// rewritten has the interval log of the first worker with other lines; nil drops one.
func rewritten(f *files, change func(line []byte, second int64) []byte) {
	for name, text := range f.all {
		w, kind, ok := bundle.ParseFile(name)
		if !ok || w.Role != bundle.RoleWorker || w.Index != 0 || kind != bundle.Hlog {
			continue
		}
		var changed []byte
		for line := range bytes.Lines(text) {
			if second, ok := secondOf(line); ok {
				line = change(line, second-1)
			}
			changed = append(changed, line...)
		}
		f.all[name] = changed
	}
}

func TestAWorkerThatWasHeldUpMissesThoseSecondsAlone(t *testing.T) {
	f, workload, _ := stored(t, "leader-kill")
	from := workload.Start.Unix() + 12
	rewritten(f, func(line []byte, second int64) []byte {
		switch second {
		case from:
			return bytes.Replace(line, []byte(",1.000000,"), []byte(",3.000000,"), 1)
		case from + 1, from + 2:
			return nil
		}
		return line
	})
	for _, s := range atOnce(t, f, seconds.New(workload, 0)) {
		held := s.UnixSeconds >= from && s.UnixSeconds <= from+2
		if missing := len(s.MissingWorkers) > 0; missing != held {
			t.Errorf("second %d lacks workers %v", s.UnixSeconds-from, s.MissingWorkers)
		}
	}
}

func TestARowOfASecondThatIsToComeBreaksItsFile(t *testing.T) {
	f, workload, _ := stored(t, "leader-kill")
	now := workload.Start.Unix() + 40
	rewritten(f, func(line []byte, second int64) []byte {
		if second == workload.Start.Unix()+10 {
			return bytes.Replace(line, []byte(fmt.Sprint(second)), []byte(fmt.Sprint(now+3600)), 1)
		}
		return line
	})
	for name, text := range f.all {
		f.shown[name] = len(text)
	}
	c, told := seconds.New(workload, 0), 0
	for more := true; more; {
		some, again, err := c.Step(f.names(), f.read, time.Unix(now, 0))
		must(t, err)
		for _, s := range some {
			told++
			if after := s.UnixSeconds >= workload.Start.Unix()+9; (len(s.MissingWorkers) > 0) != after {
				t.Errorf("second %d lacks workers %v", s.UnixSeconds-workload.Start.Unix(), s.MissingWorkers)
			}
		}
		more = again
	}
	if told > 40 {
		t.Errorf("told are %d seconds of 40", told)
	}
}
