package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// slow is a store that answers after 5 ms, in short steps.
var slow = []string{"-p", "basicdb.simulatedelay=5", "-p", "basicdb.randomizedelay=false", "--duration", "1s", "--warmup", "0s"}

func TestASearchBracketsWhatTheStoreCanDo(t *testing.T) {
	t.Parallel()
	// One operation at a time: 200/s at most.
	e := runChild(t, child(t, append([]string{"search", "basic", "-P", workloadOf(t), "--objective", "p90 of READ at most 100ms", "--max-in-flight", "1",
		"--from", "50", "--growth", "16", "--precision", "1", "--export", "json"}, slow...)...))
	e.done(t)
	var found struct {
		Points []struct {
			Rate       float64
			Met        *bool
			Invalid    []string
			Operations []struct {
				Operation string
				Succeeded int64
				Micros    []int64
			}
		}
		Answer struct {
			Rate, Missed float64
			Ended        string
		}
	}
	if err := json.Unmarshal([]byte(e.out), &found); err != nil {
		t.Fatalf("%v in:\n%s", err, e.out)
	}
	if e.code != 0 {
		if found.Answer.Ended == "" {
			t.Errorf("the answer does not say why the search ended: %s", e.out)
		}
		return
	}
	// Arrivals and reads are random, and so is in which steps between they find a bound.
	if first := found.Points[0]; first.Rate != 50 || len(first.Operations) != 2 || len(first.Operations[0].Micros) != 3 || first.Operations[0].Micros[0] < 5000 {
		t.Errorf("the first step is %+v", first)
	}
	if a := found.Answer; a.Rate < 50 || a.Missed > 800 || a.Missed > 2*a.Rate || a.Ended != "" {
		t.Errorf("the answer is %+v", a)
	}
}

func TestASweepHasARowForEachStepAndOperation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"rates":   {[]string{"--rates", "20,40"}, []string{"20,0,", "20,0,", "40,0,", "40,0,"}},
		"threads": {[]string{"--threads", "1,3"}, []string{"0,1,", "0,1,", "0,3,", "0,3,"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := runChild(t, child(t, append(append([]string{"sweep", "basic", "-P", workloadOf(t), "--export", "csv"}, c.args...), slow...)...))
			e.done(t)
			rows := strings.Split(strings.TrimSpace(e.out), "\n")
			if rows[0] != "rate,threads,throughput,operation,succeeded,failed,never_started,max_us,p50_us,p95_us,p99_us,verdict" || len(rows) != 1+len(c.want) {
				t.Fatalf("printed\n%s", e.out)
			}
			for i, want := range c.want {
				if !strings.HasPrefix(rows[i+1], want) {
					t.Errorf("row %d is %s, want %s…", i+1, rows[i+1], want)
				}
			}
		})
	}
}

func TestStepsThatMakeNoSenseAreRefused(t *testing.T) {
	t.Parallel()
	areRefused(t, map[string]refusal{
		"no objective":                 {[]string{"search", "basic"}, "an --objective is needed"},
		"a broken objective":           {[]string{"search", "basic", "--objective", "p99 of READ below 10ms"}, `write it as "p99 of READ at most 10ms"`},
		"an operation that isn't made": {[]string{"search", "basic", "--objective", "p99 of SCAN at most 10ms"}, "the workload makes no SCAN"},
		"no growth":                    {[]string{"search", "basic", "--objective", "p99 of READ at most 10ms", "--growth", "1"}, "--growth=1"},
		"the most below the first":     {[]string{"search", "basic", "--objective", "p99 of READ at most 10ms", "--up-to", "50"}, "--up-to=50"},
		"no precision":                 {[]string{"search", "basic", "--objective", "p99 of READ at most 10ms", "--precision", "0"}, "--precision=0"},
		"no window":                    {[]string{"search", "basic", "--objective", "p99 of READ at most 10ms", "--duration", "0s"}, "--duration"},
		"a target":                     {[]string{"sweep", "basic", "--rates", "5", "-p", "target=3"}, "leave them out"},
		"neither rates nor threads":    {[]string{"sweep", "basic"}, "either --rates or --threads"},
		"both":                         {[]string{"sweep", "basic", "--rates", "5", "--threads", "5"}, "either --rates or --threads"},
		"a rate of 0":                  {[]string{"sweep", "basic", "--rates", "5,0"}, "--rates: 0"},
		"no thread":                    {[]string{"sweep", "basic", "--threads", "0"}, "--threads: 0"},
		"slots of closed loops":        {[]string{"sweep", "basic", "--threads", "1", "--max-in-flight", "5"}, "set --rates"},
		"an unknown export":            {[]string{"sweep", "basic", "--threads", "1", "--export", "ycsb-text"}, "text, csv, json"},
	})
}

func TestEachStepHasItsOwnFolder(t *testing.T) {
	t.Parallel()
	command := child(t, append([]string{"sweep", "basic", "-P", workloadOf(t), "--rates", "20,40", "--bundle", "raw"}, slow...)...)
	runChild(t, command).done(t)
	for _, folder := range []string{"step-1", "step-2"} {
		if _, err := os.Stat(filepath.Join(command.Dir, "raw", folder, "plan.json")); err != nil {
			t.Error(err)
		}
	}
}

func TestAStepThatFailsLeavesThoseBeforeIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		full bool // the disk, in the first step
		want int  // rows
	}{
		"the disk is full in the first":      {true, 0},
		"the folder of the second has files": {false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := child(t, append([]string{"sweep", "basic", "-P", workloadOf(t), "--rates", "40,50", "--bundle", "raw", "--export", "csv"}, slow...)...)
			if c.full {
				command.Args = append(command.Args, "--duration", "20s")
				command = withFullDisk(command)
			} else if err := os.MkdirAll(filepath.Join(command.Dir, "raw", "step-2", "old"), 0o755); err != nil {
				t.Fatal(err)
			}
			e := runChild(t, command)
			if rows := strings.Count(e.out, "\n") - 1; e.code != exitFailed || rows != c.want || strings.Contains(e.errors, "panic") {
				t.Errorf("exit code %d, %d rows, %s", e.code, rows, e.errors)
			}
		})
	}
}

func TestATableOfASearchGoesWithItsAnswer(t *testing.T) {
	t.Parallel()
	e := runChild(t, child(t, append([]string{"search", "basic", "-P", workloadOf(t), "--objective", "p50 of READ at most 1s",
		"--from", "50", "--up-to", "50", "--export", "csv"}, slow...)...))
	if !strings.HasPrefix(e.errors, "seed ") || !strings.Contains(e.errors, "p50 of READ at most 1s: ") || strings.Contains(e.out, "p50 of READ") {
		t.Errorf("%s and %s", e.errors, e.out)
	}
}
