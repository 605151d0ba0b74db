package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// result is one run of a program.
type result struct {
	work      work
	program   string
	took      time.Duration
	cpu       time.Duration
	peakBytes int64
}

func (r *result) rate() float64     { return float64(r.work.operations) / r.took.Seconds() }
func (r *result) cpuNanos() float64 { return float64(r.cpu) / float64(r.work.operations) }
func (r *result) peakMB() float64   { return float64(r.peakBytes) / 1e6 }

// line is in the format of Go's benchmarks, for benchstat.
func (r *result) line() string {
	return fmt.Sprintf("BenchmarkPeers/store=%s/program=%s\t%d\t%.1f ns/op\t%.1f cpu-ns/op\t%.0f ops/s\t%.1f peak-MB",
		r.work, r.program, r.work.operations, float64(r.took)/float64(r.work.operations), r.cpuNanos(), r.rate(), r.peakMB())
}

type results struct{ all []result }

// table has, for each work and program, the medians of all runs, and how many times the
// operations/s of each program the first one reaches.
func (r *results) table() string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| store, operation, threads\t| program\t| operations/s\t| kvbench has\t| CPU for an operation\t| peak memory\t|")
	fmt.Fprintln(w, "|---\t|---\t|---\t|---\t|---\t|---\t|")
	for _, group := range groups(r.all, func(one *result) any { return one.work }) {
		var first float64
		for i, runs := range groups(group, func(one *result) any { return one.program }) {
			rate := median(runs, (*result).rate)
			against := ""
			if i == 0 {
				first = rate
			} else {
				against = fmt.Sprintf("%.2f ×", first/rate)
			}
			work := runs[0].work
			fmt.Fprintf(w, "| %s, %s, %d, %s\t| %s\t| %s\t| %s\t| %.3f µs\t| %.0f MB\t|\n",
				work.store, work.operation, work.threads, si(float64(work.operations)), runs[0].program,
				si(rate), against, median(runs, (*result).cpuNanos)/1000, median(runs, (*result).peakMB))
		}
	}
	w.Flush()
	return text.String()
}

// groups collects what has the same key, in the order in which the keys come first.
func groups(all []result, key func(*result) any) (groups [][]result) {
	place := map[any]int{}
	for _, one := range all {
		at, ok := place[key(&one)]
		if !ok {
			at = len(groups)
			place[key(&one)] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], one)
	}
	return groups
}

func median(runs []result, of func(*result) float64) float64 {
	var values []float64
	for i := range runs {
		values = append(values, of(&runs[i]))
	}
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 0 {
		return (values[middle-1] + values[middle]) / 2
	}
	return values[middle]
}

// si is a number with three digits and a thousand or a million as its unit.
func si(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.3g M", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.3g k", n/1e3)
	}
	return fmt.Sprintf("%.3g", n)
}

// machine says what the figures were made on: benchstat keeps such lines. The load average
// tells whether anything else ran.
func machine() string {
	load, _ := os.ReadFile("/proc/loadavg")
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return fmt.Sprintf("goos: %s\ngoarch: %s\ncpu: %s\ncores: %d\nkernel: %s\nload-average: %s\n", runtime.GOOS, runtime.GOARCH,
		cpuModel(), runtime.NumCPU(), strings.TrimSpace(string(release)), strings.Join(strings.Fields(string(load))[:1], ""))
}

func cpuModel() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, model, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(model)
		}
	}
	return "unknown"
}
