package merging

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/documents"
	"github.com/kvbench/kvbench/internal/results"
)

// task is what the process is asked for, and its bounds.
type task struct {
	Folder      string `json:"folder"`
	MemoryBytes uint64 `json:"memoryBytes"` // beside what the program has at its begin
	Seconds     uint64 `json:"seconds"`     // of a processor
}

// Serve bounds its process, and makes the report that it is asked for.
func Serve(in io.Reader, out io.Writer) error {
	var asked task
	if err := json.NewDecoder(in).Decode(&asked); err != nil {
		return fmt.Errorf("read which report to make: %w", err)
	}
	if err := asked.bound(); err != nil {
		return err
	}
	telling := tar.NewWriter(out)
	made, err := makeReport(asked.Folder)
	if err != nil {
		return errors.Join(say(telling, troubleFile, []byte(err.Error())), telling.Close())
	}
	if err := errors.Join(say(telling, bundle.MarkdownFile, made.Markdown), say(telling, bundle.ReportFile, made.Report)); err != nil {
		return err
	}
	// Whatever becomes of the charts: the report was told.
	charts, err := made.Charts()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", bundle.ChartsFile, err)
		return telling.Close()
	}
	return errors.Join(say(telling, bundle.ChartsFile, charts), telling.Close())
}

func (t task) bound() error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return fmt.Errorf("bound the process: %w", err)
	}
	has, err := dataBytes(string(status))
	if err != nil {
		return fmt.Errorf("bound the process: %w", err)
	}
	exitWhenSpent()
	for resource, limit := range map[int]unix.Rlimit{
		unix.RLIMIT_DATA:  {Cur: has + t.MemoryBytes, Max: has + t.MemoryBytes},
		unix.RLIMIT_CPU:   {Cur: t.Seconds, Max: t.Seconds + spareSeconds},
		unix.RLIMIT_CORE:  {},
		unix.RLIMIT_FSIZE: {},
	} {
		if err := unix.Setrlimit(resource, &limit); err != nil {
			return fmt.Errorf("bound the process: %w", err)
		}
	}
	debug.SetMemoryLimit(int64(t.MemoryBytes / 4 * 3)) // collect garbage before it gets tight
	return nil
}

const (
	// exitSpent is how the process ends whose time of a processor is over.
	exitSpent = 24
	// spareSeconds is how much more of a processor it may take to end by itself. Then Linux kills it.
	spareSeconds = 2
)

// exitWhenSpent lets the process say itself that its time is over, when Linux sends SIGXCPU. What it has taken by then
// is no proof: Linux compares its bound with the ticks in which the process ran. Where a quota of the container stops
// the process again and again, these are many more than what is counted for the process at its end.
func exitWhenSpent() {
	spent := make(chan os.Signal, 1)
	signal.Notify(spent, unix.SIGXCPU)
	go func() {
		<-spent
		os.Exit(exitSpent)
	}()
}

// dataBytes is VmData of /proc/self/status, which RLIMIT_DATA bounds. Of what this program has in it at
// its begin, a tenth is in memory; the rest are addresses.
func dataBytes(status string) (uint64, error) {
	_, after, _ := strings.Cut(status, "\nVmData:")
	line, _, _ := strings.Cut(after, "\n")
	kilobytes, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(line), " kB"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("VmData of /proc/self/status: %w", err)
	}
	return kilobytes << 10, nil
}

// InProcess is a results.MergeFunc in this process, without bounds.
func InProcess(_ context.Context, folder string, keep func(name string, content io.Reader) error) error {
	made, err := makeReport(folder)
	if err != nil {
		return &results.BadBundle{Cause: err.Error()}
	}
	err = errors.Join(keep(bundle.MarkdownFile, bytes.NewReader(made.Markdown)), keep(bundle.ReportFile, bytes.NewReader(made.Report)))
	if charts, noCharts := made.Charts(); noCharts == nil {
		err = errors.Join(err, keep(bundle.ChartsFile, bytes.NewReader(charts)))
	}
	return err
}

// makeReport turns a panic into an error: the files are hostile input, and the run's owner must
// learn that they are the cause.
func makeReport(folder string) (made *documents.Documents, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the merge panicked: %v", cause)
		}
	}()
	return documents.FromBundle(os.DirFS(folder))
}
