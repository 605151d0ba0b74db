package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	loadRecords = 100_000
	// warmRecords are loaded first, by the same program into a table of their own: members of Java
	// have compiled by then what they do.
	warmRecords  = 20_000
	loadThreads  = 16
	loadFields   = 10
	fieldBytes   = 100
	loadDeadline = 5 * time.Minute
)

// loader is a program that loads records, as many as it is told, and says how long it took. It
// begins when it has connected.
type loader struct {
	name string
	load func(ctx context.Context, b *testing.B, cluster *servers, table string, records int) (time.Duration, error)
}

// loadedStore is one that programs load in turns: kvbench by batches, as a run does, kvbench
// record by record, and what others would use.
type loadedStore struct {
	name, properties string // before the names of its properties
	start            func(b *testing.B) *servers
	peer             loader
}

// BenchmarkLoad tells how many records of 1 kB a second each program loads into a server of its
// own: the medians of all turns, and what part of the peer's rate kvbench has.
func BenchmarkLoad(b *testing.B) {
	for _, store := range loadedStores {
		b.Run("store="+store.name, func(b *testing.B) {
			starved := 0
			loaders := []loader{kvbench(&store, "kvbench", 100, &starved), kvbench(&store, "kvbench-single", 1, &starved), store.peer}
			rates := make([][]float64, len(loaders))
			for b.Loop() {
				for i, program := range loaders {
					rates[i] = append(rates[i], loadOnce(b, &store, program))
				}
			}
			var medians []float64
			for i, program := range loaders {
				slices.Sort(rates[i])
				medians = append(medians, rates[i][len(rates[i])/2])
				b.ReportMetric(medians[i], program.name+"-records/s")
			}
			b.ReportMetric(100*medians[0]/medians[2], "%-of-peer")
			b.ReportMetric(100*medians[1]/medians[2], "%-single")
			b.ReportMetric(0, "ns/op") // is left out
			if starved > 0 {
				b.Logf("in %d of kvbench's %d loads, the warm ones too, the server took cores that its threads waited for", starved, 4*len(rates[0]))
			}
		})
	}
}

// loadOnce has a program load a server that has just begun, and returns its records/s.
func loadOnce(b *testing.B, store *loadedStore, program loader) float64 {
	cluster := store.start(b)
	defer func() {
		for _, member := range cluster.members {
			member.Kill(b)
		}
	}()
	ctx, cancel := context.WithTimeout(b.Context(), loadDeadline)
	defer cancel()
	if _, err := program.load(ctx, b, cluster, "warm", warmRecords); err != nil {
		b.Fatalf("%s: %v", program.name, err)
	}
	took, err := program.load(ctx, b, cluster, "loaded", loadRecords)
	if err != nil {
		b.Fatalf("%s: %v", program.name, err)
	}
	return loadRecords / took.Seconds()
}

// notValid is the exit code of the load generator where it doesn't vouch for its latencies. Here the
// server is on the same cores, and what counts is the rate, which is the pair's.
const notValid = 6

// kvbench is the load generator's program, with batches of so many records. It counts the loads in
// which it waited for cores.
func kvbench(store *loadedStore, name string, batch int, starved *int) loader {
	return loader{name, func(ctx context.Context, b *testing.B, cluster *servers, table string, records int) (time.Duration, error) {
		printed, err := output(exec.CommandContext(ctx, Binary(b, "kvbench-loadgen"), "load", store.name, "--threads", fmt.Sprint(loadThreads),
			"-p", store.properties+".endpoints="+cluster.config.Addresses[0], "-p", "table="+table, "-p", fmt.Sprint("recordcount=", records),
			"-p", fmt.Sprint("fieldcount=", loadFields), "-p", fmt.Sprint("fieldlength=", fieldBytes), "-p", fmt.Sprint("batch.size=", batch)))
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == notValid {
			*starved++
		} else if err != nil {
			return 0, err
		}
		if loaded := returned(printed, "INSERT", "OK"); loaded != records {
			return 0, fmt.Errorf("loaded %d of %d records:\n%s", loaded, records, printed)
		}
		ms, err := figure(printed, `\[OVERALL\], RunTime\(ms\), ([0-9.]+)`)
		return seconds(ms / 1000), err
	}}
}

// output runs a program; its errors have the end of what it said.
func output(command *exec.Cmd) (string, error) {
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	if err := command.Run(); err != nil {
		text := strings.TrimSpace(said.String() + out.String())
		return out.String(), fmt.Errorf("%s: %w: %s", command.Path, err, text[max(0, len(text)-2000):])
	}
	return out.String(), nil
}

// figure is what the pattern's group finds in a report.
func figure(printed, pattern string) (float64, error) {
	found := regexp.MustCompile(pattern).FindStringSubmatch(printed)
	if found == nil {
		return 0, fmt.Errorf("no %s in:\n%s", pattern, printed)
	}
	return strconv.ParseFloat(found[1], 64)
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
