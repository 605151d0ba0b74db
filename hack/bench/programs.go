package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// program is a load generator: how it is called, and how its report is read.
type program struct {
	name string
	// run is the command that does the work; store are properties of the store.
	run func(w work, store []string) []string
	// load is the command that brings the records into the store; nil when it doesn't know
	// the stores that keep any.
	load func(w work, store []string) []string
	// report finds in the output how long the operations took, without the program's start.
	// It fails unless all of them were made, and with success.
	report func(output string, w work) (time.Duration, error)
}

func kvbench(binary string) program {
	call := func(phase string) func(work, []string) []string {
		return func(w work, store []string) []string {
			argv := []string{binary, phase, w.store, "--threads", strconv.Itoa(w.threads)}
			return append(argv, flags(w.properties(), store)...)
		}
	}
	return program{name: "kvbench", run: call("run"), load: call("load"), report: ycsbReport}
}

func goYCSB(binary string) program {
	call := func(phase string) func(work, []string) []string {
		return func(w work, store []string) []string {
			argv := []string{binary, phase, w.store, "--threads", strconv.Itoa(w.threads)}
			// It would open a port for profiles on all addresses.
			return append(argv, flags(w.properties(), store, []string{"workload=core", "debug.pprof=127.0.0.1:0"})...)
		}
	}
	return program{name: "go-ycsb", run: call("run"), load: call("load"), report: goYCSBReport}
}

func ycsb(java, folder string) program {
	run := func(w work, store []string) []string {
		argv := []string{java, "-cp", filepath.Join(folder, "*"), "site.ycsb.Client",
			"-db", "site.ycsb.BasicDB", "-t", "-threads", strconv.Itoa(w.threads)}
		return append(argv, flags(w.properties(), store, []string{"workload=site.ycsb.workloads.CoreWorkload", "basicdb.verbose=false"})...)
	}
	return program{name: "ycsb", run: run, report: ycsbReport}
}

func flags(lists ...[]string) (argv []string) {
	for _, list := range lists {
		for _, property := range list {
			argv = append(argv, "-p", property)
		}
	}
	return argv
}

// ycsbReport reads YCSB's text export, which is kvbench's as well.
func ycsbReport(output string, w work) (time.Duration, error) {
	var took time.Duration
	var made int64
	operation := "[" + strings.ToUpper(w.operation)
	for line := range strings.Lines(output) {
		words := strings.Split(strings.TrimSpace(line), ", ")
		if len(words) != 3 {
			continue
		}
		if strings.HasPrefix(words[0], operation) && strings.HasSuffix(words[0], "-FAILED]") {
			return 0, fmt.Errorf("operations failed: %s", strings.TrimSpace(line))
		}
		value, err := strconv.ParseFloat(words[2], 64)
		switch {
		case err != nil:
		case words[0] == "[OVERALL]" && words[1] == "RunTime(ms)":
			took = time.Duration(value * float64(time.Millisecond))
		case words[0] == operation+"]" && words[1] == "Operations":
			made = int64(value)
		}
	}
	return took, complete(took, made, w)
}

// goYCSBReport reads go-ycsb's plain output.
func goYCSBReport(output string, w work) (time.Duration, error) {
	var took time.Duration
	var made int64
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "Run finished, takes "); ok {
			took, _ = time.ParseDuration(text)
			made = 0 // counts before were those of intervals
		}
		name, rest, _ := strings.Cut(line, " ")
		if strings.HasSuffix(name, "_ERROR") {
			return 0, fmt.Errorf("operations failed: %s", line)
		}
		if _, count, ok := strings.Cut(rest, "Count: "); ok && name == strings.ToUpper(w.operation) {
			count, _, _ = strings.Cut(count, ",")
			made, _ = strconv.ParseInt(count, 10, 64)
		}
	}
	return took, complete(took, made, w)
}

func complete(took time.Duration, made int64, w work) error {
	if made != w.operations || took <= 0 {
		return fmt.Errorf("%d of %d operations in %v are in its report", made, w.operations, took)
	}
	return nil
}
