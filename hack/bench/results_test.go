package main

import (
	"strings"
	"testing"
	"time"
)

func TestTheTableHasMediansAndSaysHowManyTimesFasterTheFirstIs(t *testing.T) {
	read := work{store: "basic", operation: "read", threads: 16, operations: 10_000_000}
	update := work{store: "basic", operation: "update", threads: 64, operations: 1000}
	r := &results{}
	for _, seconds := range []time.Duration{1, 9, 2} {
		r.all = append(r.all,
			result{work: read, program: "kvbench", took: seconds * time.Second, cpu: seconds * time.Second, peakBytes: 40e6},
			result{work: read, program: "ycsb", took: 5 * seconds * time.Second, cpu: 8 * seconds * time.Second, peakBytes: 900e6})
	}
	r.all = append(r.all, result{work: update, program: "kvbench", took: time.Second, cpu: time.Second, peakBytes: 20e6})
	want := [][]string{
		{"store, operation, threads", "program", "operations/s", "kvbench has", "CPU for an operation", "peak memory"},
		{"---", "---", "---", "---", "---", "---"},
		{"basic, read, 16, 10 M", "kvbench", "5 M", "", "0.200 µs", "40 MB"},
		{"basic, read, 16, 10 M", "ycsb", "1 M", "5.00 ×", "1.600 µs", "900 MB"},
		{"basic, update, 64, 1 k", "kvbench", "1 k", "", "1000.000 µs", "20 MB"},
	}
	lines := strings.Split(strings.TrimSpace(r.table()), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), r.table())
	}
	for i, line := range lines {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for j := range cells {
			cells[j] = strings.TrimSpace(cells[j])
		}
		if strings.Join(cells, "|") != strings.Join(want[i], "|") {
			t.Errorf("line %d is %q, want %q", i, cells, want[i])
		}
	}
}

func TestTheMedianOfAnEvenNumberLiesBetween(t *testing.T) {
	runs := []result{{took: 4}, {took: 1}, {took: 2}, {took: 100}}
	if got := median(runs, func(r *result) float64 { return float64(r.took) }); got != 3 {
		t.Errorf("%v, want 3", got)
	}
}

func TestALineIsInTheFormatOfGoBenchmarks(t *testing.T) {
	r := &result{
		work:    work{store: "basic", operation: "read", threads: 16, operations: 1_000_000},
		program: "kvbench", took: 200 * time.Millisecond, cpu: 300 * time.Millisecond, peakBytes: 41e6,
	}
	want := "BenchmarkPeers/store=basic/op=read/threads=16/operations=1000000/program=kvbench\t1000000\t200.0 ns/op\t300.0 cpu-ns/op\t5000000 ops/s\t41.0 peak-MB"
	if got := r.line(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
