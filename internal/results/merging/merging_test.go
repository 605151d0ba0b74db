package merging

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/results"
)

// processes are what the test program is with one of these arguments.
var processes = map[string]func() error{
	"serve": func() error { return Serve(os.Stdin, os.Stdout) },
	"eat": func() error {
		var held [][]byte
		return bounded(func() { held = append(held, bytes.Repeat([]byte{1}, 1<<20)) })
	},
	"spin":   func() error { return bounded(func() {}) },
	"killed": func() error { return unix.Kill(os.Getpid(), unix.SIGKILL) },
	"nobody": func() error { return nil },
	"broken": func() error { return errors.New("it can't be bounded") },
}

func bounded(forEver func()) error {
	var asked task
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		return err
	}
	if err := asked.bound(); err != nil {
		return err
	}
	for {
		forEver()
	}
}

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && processes[os.Args[1]] != nil {
		if err := processes[os.Args[1]](); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// folderOf is a bundle of a plan, and of nothing else.
func folderOf(t *testing.T, document []byte) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, bundle.PlanFile), document, 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func aPlan(t *testing.T) []byte {
	t.Helper()
	document, err := json.Marshal(plan.Plan{Format: plan.Format,
		Workloads: []plan.Workload{{Name: "a", DurationMillis: 1000, Load: plan.Load{Workers: 1, Threads: 1, OperationTimeoutMillis: 1000}}}})
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func keepIn(kept map[string]string) func(string, io.Reader) error {
	return func(name string, content io.Reader) error {
		text, err := io.ReadAll(content)
		kept[name] = string(text)
		return err
	}
}

func TestAReportIsMadeInAProcessOfItsOwn(t *testing.T) {
	folder, kept := folderOf(t, aPlan(t)), map[string]string{}
	if err := New(memoryBytes, os.Args[0], "serve").Merge(t.Context(), folder, keepIn(kept)); err != nil {
		t.Fatal(err)
	}
	made, err := compute.FromBundle(os.DirFS(folder))
	if err != nil {
		t.Fatal(err)
	}
	document, err := made.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if kept[bundle.ReportFile] != string(document) || kept[bundle.MarkdownFile] != string(render.Markdown(made)) {
		t.Errorf("other documents than the report's: %q", kept)
	}
}

// Whatever a bundle makes its process do is the bundle's fault, and nobody else's.
func TestABundleThatTakesTooMuchGivesNoReport(t *testing.T) {
	for name, c := range map[string]struct {
		process string
		plan    []byte
		want    string
	}{
		"it has no plan":   {"serve", []byte("{"), "reading plan.json"},
		"it eats memory":   {"eat", aPlan(t), fmt.Sprintf("more than %d MiB of memory", memoryBytes>>20)},
		"it never ends":    {"spin", aPlan(t), "more than 1 s of a processor"},
		"its owner's cure": {"eat", aPlan(t), "results.resources.limits.memory"},
	} {
		t.Run(name, func(t *testing.T) {
			merger := New(memoryBytes, os.Args[0], c.process)
			merger.leastSeconds = 1
			err := merger.Merge(t.Context(), folderOf(t, c.plan), keepIn(map[string]string{}))
			var bad *results.BadBundle
			if !errors.As(err, &bad) || !strings.Contains(bad.Cause, c.want) {
				t.Errorf("%v, want a bad bundle with %q", err, c.want)
			}
		})
	}
	var most unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &most); err != nil {
		t.Fatal(err)
	}
	// Its program and its stacks are not among what is bounded.
	if taken := most.Maxrss << 10; taken > memoryBytes+64<<20 {
		t.Errorf("a process had %d MiB", taken>>20)
	}
}

func TestWhatIsNotTheBundlesFaultIsNotCalledSo(t *testing.T) {
	full := errors.New("the disk is full")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx     context.Context
		program string
		process string
		keep    error
		want    string
	}{
		"no program":             {t.Context(), "/nowhere", "serve", nil, "start a process"},
		"a program that fails":   {t.Context(), os.Args[0], "broken", nil, "it can't be bounded"},
		"one that was killed":    {t.Context(), os.Args[0], "killed", nil, "signal: killed"},
		"one that says nothing":  {t.Context(), os.Args[0], "nobody", nil, io.ErrUnexpectedEOF.Error()},
		"nobody keeps it":        {t.Context(), os.Args[0], "serve", full, full.Error()},
		"nobody waits any more":  {ended, os.Args[0], "serve", nil, context.Canceled.Error()},
		"nobody waits, no words": {ended, os.Args[0], "spin", nil, context.Canceled.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			err := New(memoryBytes, c.program, c.process).Merge(c.ctx, folderOf(t, aPlan(t)), func(_ string, content io.Reader) error {
				_, err := io.Copy(io.Discard, content)
				return errors.Join(err, c.keep)
			})
			var bad *results.BadBundle
			if err == nil || errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// The bound of time goes with what there is to read.
func TestALargeBundleMayTakeLonger(t *testing.T) {
	folder := folderOf(t, aPlan(t))
	if err := os.Truncate(filepath.Join(folder, bundle.PlanFile), 100*bytesOfASecond); err != nil {
		t.Fatal(err)
	}
	if got, err := New(memoryBytes).task(folder); err != nil || got.Seconds != leastSeconds+100 {
		t.Errorf("%d s, %v", got.Seconds, err)
	}
}

func TestTheBoundOfMemoryIsBesideWhatTheProgramHas(t *testing.T) {
	for status, want := range map[string]uint64{
		"VmPeak:\t 1330944 kB\nVmData:\t   84700 kB\nVmStk:\t 132 kB\n": 84700 << 10,
		"VmPeak:\t 1330944 kB\n": 0,
		"\nVmData:\t lots\n":     0,
	} {
		if got, err := dataBytes(status); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v", status, got, err)
		}
	}
}
