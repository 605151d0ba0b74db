package main

import (
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kvbench/kvbench/internal/stores/catalog"
	"github.com/kvbench/kvbench/internal/ycsb"
)

// newClientCommand is `load` or `run` of the stand-alone client.
func newClientCommand(load bool) *cobra.Command {
	flags := clientFlags{Command: ycsb.Command{Load: load, Processors: runtime.GOMAXPROCS}}
	use, short := "run", "Run a YCSB workload on a store, as go-ycsb and bin/ycsb do"
	if load {
		use, short = "load", "Load the records of a YCSB workload into a store"
	}
	command := &cobra.Command{
		Use:   use + " <store>",
		Short: short,
		Long:  short + ".\n\nStores: " + strings.Join(catalog.Names(), ", ") + ". What it takes and writes: docs/guide/ycsb-client.md.",
		Args:  storeArgument,
		RunE: func(c *cobra.Command, args []string) error {
			flags.Store = args[0]
			if err := flags.check(c.Flags()); err != nil {
				return err
			}
			settings, err := ycsb.Settle(flags.command(c.Flags()))
			if err != nil {
				return err
			}
			return settings.Do(c.Context(), &ycsb.Screen{Out: os.Stdout, Err: os.Stderr})
		},
	}
	flags.add(command.Flags(), load)
	return command
}

func storeArgument(_ *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	return ycsb.Refuse("one store is needed, and %d were named: use one of %s", len(args), strings.Join(catalog.Names(), ", "))
}

// clientFlags are a command line of the stand-alone client.
type clientFlags struct {
	ycsb.Command
	threads          *int // nil where --threads is something else
	target, interval float64
	status           bool
	label, table     string
	duration         time.Duration
	seed             uint64
}

// addCommon adds what every command of the client takes.
func (f *clientFlags) addCommon(flags *pflag.FlagSet) {
	flags.StringArrayVarP(&f.Files, "property_file", "P", nil, "a property file; later ones win")
	flags.StringArrayVarP(&f.Pairs, "prop", "p", nil, "a property, name=value; wins over files")
	flags.StringVar(&f.table, "table", "", "name of the table; the property table")
	flags.Float64Var(&f.interval, "interval", 10, "seconds between two lines of progress; the property status.interval")
	flags.BoolVarP(&f.status, "status", "s", true, "print lines of progress; the property status")
	flags.StringVarP(&f.label, "label", "l", "", "begins the lines of progress; the property label")
	flags.DurationVar(&f.OperationTimeout, "operation-timeout", 2*time.Second, "deadline of each operation")
	flags.Uint64Var(&f.seed, "seed", 0, "of the random numbers (default: a random one, which is printed)")
	flags.StringVar(&f.Bundle, "bundle", "", "new folder for the raw files, which kvbench-loadgen report reads (default: none is left)")
}

// addOpenLoop adds what an open loop takes beside its rate, and how long it lasts.
func (f *clientFlags) addOpenLoop(flags *pflag.FlagSet) {
	flags.StringVar(&f.Arrivals, "arrivals", "poisson", "of an open loop: poisson or constant")
	flags.IntVar(&f.Connections, "connections", 0, "connections to each member that operations share in an open loop (default: threads, and at least 16)")
	flags.IntVar(&f.MaxInFlight, "max-in-flight", 0, "operations under way at most in an open loop (default: rate × operation timeout × 1.5)")
	flags.DurationVar(&f.duration, "duration", 0, "end of the measurement after the warm-up; the property maxexecutiontime")
	flags.DurationVar(&f.Warmup, "warmup", 0, "time before the measurement whose operations are not counted")
}

func (f *clientFlags) add(flags *pflag.FlagSet, load bool) {
	f.addCommon(flags)
	f.threads = flags.Int("threads", 1, "concurrent clients; the property threadcount")
	flags.Float64Var(&f.target, "target", 0, "operations/s of all threads, each of which waits for its last operation; the property target")
	flags.StringArrayVar(&f.Exports, "export", nil, "output as ycsb-text, ycsb-json, ycsb-json-objects, hlog or csv; =file after it for a file (default: ycsb-text)")
	if load {
		return
	}
	f.addOpenLoop(flags)
	flags.Float64Var(&f.Rate, "rate", 0, "operations/s of an open loop, whatever the store does")
	flags.StringVar(&f.Trace, "trace", "", "file of requests to make again at their times: lines of time,operation,key,size")
	flags.Float64Var(&f.Stretch, "trace-stretch", 1, "factor for the times of a trace: 0.5 is twice as fast")
	flags.StringVar(&f.RateSchedule, "rate-schedule", "", "file of an open loop whose rate changes: lines of seconds,rate, from the end of the warm-up on")
}

// openLoops are the options that make the loop an open one, which those beside them are
// for. A search has none of them: its loops are open.
var openLoops = map[string][]string{
	"arrivals":      {"rate", "rate-schedule", "rates"}, // a trace has a time for each request
	"connections":   {"rate", "rate-schedule", "rates", "trace"},
	"max-in-flight": {"rate", "rate-schedule", "rates", "trace"},
}

// check refuses what would change nothing.
func (f *clientFlags) check(flags *pflag.FlagSet) error {
	if flags.Changed("arrivals") && flags.Changed("trace") {
		return ycsb.Refuse("--arrivals: --trace has a time for each request: leave it out")
	}
	for name, options := range openLoops {
		options = slices.DeleteFunc(slices.Clone(options), func(option string) bool { return flags.Lookup(option) == nil })
		if flags.Changed(name) && len(options) > 0 && !slices.ContainsFunc(options, flags.Changed) {
			return ycsb.Refuse("--%s is of an open loop: set --%s", name, strings.Join(options, " or --"))
		}
	}
	if flags.Changed("duration") && f.duration <= 0 {
		return ycsb.Refuse("--duration=%s: must be 1s or more; leave it out for no bound", f.duration)
	}
	return nil
}

// command takes over what was set.
func (f *clientFlags) command(flags *pflag.FlagSet) *ycsb.Command {
	c := f.Command
	c.Options = map[string]string{}
	for name, option := range map[string]struct{ property, value string }{
		"target":   {"target", formatNumber(f.target)},
		"interval": {"status.interval", formatNumber(f.interval)},
		"status":   {"status", strconv.FormatBool(f.status)},
		"label":    {"label", f.label},
		"table":    {"table", f.table},
		"duration": {"maxexecutiontime", formatNumber(f.duration.Seconds())},
	} {
		if flags.Changed(name) {
			c.Options[option.property] = option.value
		}
	}
	if f.threads != nil && flags.Changed("threads") {
		c.Options["threadcount"] = strconv.Itoa(*f.threads)
	}
	c.RateSet = flags.Changed("rate")
	c.StretchSet = flags.Changed("trace-stretch")
	c.SeedSet = flags.Changed("seed")
	if c.Seed = f.seed; !c.SeedSet {
		c.Seed = rand.Uint64() >> 1 // fits a BenchmarkRun's spec.seed
	}
	if c.Arrivals == "" {
		c.Arrivals = "poisson"
	}
	return &c
}

func formatNumber(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
