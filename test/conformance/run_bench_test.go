package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/report"
)

const (
	runRecords = 10_000
	runThreads = 16
	runLasts   = 5 * time.Second
	stallLasts = time.Second
	// inTime is a response time that a store has which isn't overloaded.
	inTime = 20 * time.Millisecond
)

// ranStore is one that kvbench reads from, and the program beside it.
type ranStore struct {
	name, properties string // before the names of its properties
	start            func(b *testing.B) *servers
	peer             string
	read             func(ctx context.Context, b *testing.B, cluster *servers) (readings, error)
}

// readings are what a program reached that reads with runThreads connections.
type readings struct {
	rate        float64 // operations/s
	microsOfCPU float64 // of the program, for an operation
	p99Micros   float64
}

// BenchmarkRun tells, of reads of one field of 100 bytes, what kvbench and the peer reach in a closed
// loop, and how an open loop fares at half of the peer's rate, and of kvbench's own at four fifths, at half as
// much again, and with a stall of a second at half of it: the medians of all turns.
func BenchmarkRun(b *testing.B) {
	for _, store := range ranStores {
		b.Run("store="+store.name, func(b *testing.B) {
			figures := map[string][]float64{}
			for b.Loop() {
				for name, figure := range store.turn(b) {
					figures[name] = append(figures[name], figure)
				}
			}
			for name, all := range figures {
				slices.Sort(all)
				b.ReportMetric(all[len(all)/2], name)
			}
			b.ReportMetric(0, "ns/op") // is left out
		})
	}
}

// turn is one of each measurement, on a server of its own.
func (s *ranStore) turn(b *testing.B) map[string]float64 {
	cluster := s.start(b)
	server := cluster.members[0]
	defer server.Kill(b)
	ctx, cancel := context.WithTimeout(b.Context(), loadDeadline)
	defer cancel()
	s.kvbench(ctx, b, cluster, "load")
	closed := s.kvbench(ctx, b, cluster, "run", "--threads", fmt.Sprint(runThreads))
	figures := map[string]float64{"kvbench-ops/s": closed.rate, "kvbench-cpu-us/op": closed.microsOfCPU, "kvbench-p99-us": closed.p99Micros}
	peer, err := s.read(ctx, b, cluster)
	if err != nil {
		b.Fatalf("%s: %v", s.peer, err)
	}
	figures[s.peer+"-ops/s"], figures[s.peer+"-cpu-us/op"], figures[s.peer+"-p99-us"] = peer.rate, peer.microsOfCPU, peer.p99Micros
	rate := func(part float64) []string {
		return []string{"--rate", fmt.Sprint(int(part * closed.rate)), "--warmup", "2s"}
	}
	half := s.open(ctx, b, cluster, nil, rate(peer.rate/2/closed.rate)...)
	figures["at-half-of-"+s.peer+"-p99-us"] = float64(slowest(half))
	most := s.open(ctx, b, cluster, nil, rate(0.8)...)
	figures["at-80%-served-%"], figures["at-80%-p99-us"] = 100*most.Throughput/(0.8*closed.rate), float64(slowest(most))
	over := s.open(ctx, b, cluster, nil, rate(1.5)...)
	figures["at-150%-served-%"] = 100 * over.Throughput / closed.rate
	stalled := s.open(ctx, b, cluster, func() {
		server.Signal(b, syscall.SIGSTOP)
		time.Sleep(stallLasts)
		server.Signal(b, syscall.SIGCONT)
	}, rate(0.5)...)
	figures["late-seconds-of-a-stall"] = float64(late(stalled))
	return figures
}

// slowest is the p99 of the response times, in microseconds.
func slowest(w *report.Workload) int64 {
	for _, op := range w.Operations {
		if op.ResponseTime != nil && op.Outcome == "ok" {
			return op.ResponseTime.P99Micros
		}
	}
	return 0
}

// late is in how many seconds half of the operations were not in time, or not all were served.
func late(w *report.Workload) (seconds int) {
	for _, second := range w.Series {
		if second.P50Micros == nil || *second.P50Micros > inTime.Microseconds() || second.OK < second.Intended {
			seconds++
		}
	}
	return seconds
}

// arguments are those of all runs.
func (s *ranStore) arguments(cluster *servers, verb string, more ...string) []string {
	return append([]string{
		verb, s.name, "-p", s.properties + ".endpoints=" + cluster.config.Addresses[0], "-p", fmt.Sprint("recordcount=", runRecords),
		"-p", "fieldcount=1", "-p", fmt.Sprint("fieldlength=", fieldBytes), "-p", "readproportion=1", "-p", "updateproportion=0", "-p", "status=false",
	}, more...)
}

// notAll is the exit code of the load generator where operations were due that never started: more of
// them than the server can do.
const notAll = 5

// finished says whether the program did its work; whether it vouches for it is no matter here, where the
// server is on the same cores.
func finished(b *testing.B, command *exec.Cmd) string {
	printed, err := output(command)
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != notValid && exit.ExitCode() != notAll) {
		b.Fatal(err)
	}
	return printed
}

// kvbench loads, or runs a closed loop.
func (s *ranStore) kvbench(ctx context.Context, b *testing.B, cluster *servers, verb string, more ...string) (got readings) {
	if verb == "run" {
		more = append(more, "--duration", runLasts.String())
	}
	command := exec.CommandContext(ctx, Binary(b, "kvbench-loadgen"), s.arguments(cluster, verb, more...)...)
	printed := finished(b, command)
	if verb == "load" {
		return got
	}
	var errs [3]error
	got.rate, errs[0] = figure(printed, `\[OVERALL\], Throughput\(ops/sec\), ([0-9.]+)`)
	got.p99Micros, errs[1] = figure(printed, `\[READ\], 99thPercentileLatency\(us\), ([0-9.]+)`)
	operations, err := figure(printed, `\[READ\], Operations, ([0-9.]+)`)
	errs[2] = err
	if err := errors.Join(errs[:]...); err != nil {
		b.Fatal(err)
	}
	if read := returned(printed, "READ", "OK"); float64(read) < operations {
		b.Fatalf("%d of %.0f reads brought a record:\n%s", read, operations, printed)
	}
	used := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	got.microsOfCPU = float64(used.Microseconds()) / operations
	return got
}

// open runs an open loop, with something in its middle, and returns what its report says.
func (s *ranStore) open(ctx context.Context, b *testing.B, cluster *servers, middle func(), more ...string) *report.Workload {
	bundle := filepath.Join(b.TempDir(), "bundle")
	lasts := runLasts
	if middle != nil {
		lasts = 2 * runLasts
	}
	command := exec.CommandContext(ctx, Binary(b, "kvbench-loadgen"), s.arguments(cluster, "run", append(more, "--duration", lasts.String(), "--bundle", bundle)...)...)
	if middle == nil {
		finished(b, command)
	} else {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			time.Sleep(runLasts)
			middle()
		}()
		finished(b, command)
		<-ended
	}
	found := &report.Report{}
	if err := json.Unmarshal([]byte(finished(b, exec.CommandContext(ctx, Binary(b, "kvbench-loadgen"), "report", bundle))), found); err != nil {
		b.Fatal(err)
	}
	return &found.Workloads[0]
}
