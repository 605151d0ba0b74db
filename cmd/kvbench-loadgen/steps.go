package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kvbench/kvbench/internal/ycsb"
)

// Each step of a search or a sweep lasts so long, unless the command says otherwise.
const (
	defaultWindow = 10 * time.Second
	defaultWarmup = 2 * time.Second
)

func newSearchCommand() *cobra.Command {
	var search ycsb.Search
	var objectives []string
	command := newStepsCommand("search", "Find the highest rate at which objectives are met", &search.Format,
		func(flags *pflag.FlagSet) {
			flags.StringArrayVar(&objectives, "objective", nil, `what must hold, such as "p99 of READ at most 10ms"; all of them must`)
			flags.Float64Var(&search.Range.First, "from", 100, "rate of the first step, in operations/s")
			flags.Float64Var(&search.Range.Most, "up-to", 1_000_000, "no step is faster")
			flags.Float64Var(&search.Range.Growth, "growth", 2, "factor from one step to the next until one misses")
			flags.Float64Var(&search.Range.Precision, "precision", 0.05, "width of the answer, as a share of it")
		},
		func(settings *ycsb.Settings) (stepsCommand, error) {
			search.Settings = settings
			for _, text := range objectives {
				o, err := ycsb.ParseObjective(text)
				if err != nil {
					return nil, ycsb.BadInput{Cause: err}
				}
				search.Objectives = append(search.Objectives, o)
			}
			return &search, search.Check()
		})
	return command
}

func newSweepCommand() *cobra.Command {
	var sweep ycsb.Sweep
	return newStepsCommand("sweep", "Measure at several rates, or with several numbers of threads", &sweep.Format,
		func(flags *pflag.FlagSet) {
			flags.Float64SliceVar(&sweep.Rates, "rates", nil, "rates of open loops, in operations/s, with commas between them")
			flags.IntSliceVar(&sweep.Threads, "threads", nil, "numbers of threads of closed loops, with commas between them")
		},
		func(settings *ycsb.Settings) (stepsCommand, error) {
			sweep.Settings = settings
			return &sweep, sweep.Check()
		})
}

// stepsCommand makes steps and prints them.
type stepsCommand interface {
	Do(ctx context.Context, screen *ycsb.Screen) error
}

// newStepsCommand is what the two have in common. add adds a command's own options, and
// settle takes them over.
func newStepsCommand(name, short string, format *string, add func(*pflag.FlagSet), settle func(*ycsb.Settings) (stepsCommand, error)) *cobra.Command {
	var flags clientFlags
	command := &cobra.Command{
		Use:   name + " <store>",
		Short: short,
		Long:  short + ". The records must have been loaded. See docs/guide/ycsb-client.md.",
		Args:  storeArgument,
		RunE: func(c *cobra.Command, args []string) error {
			flags.Store = args[0]
			if err := flags.check(c.Flags()); err != nil {
				return err
			}
			given := flags.command(c.Flags())
			// A step is bounded by its window, whatever a property file says of a run.
			given.Options["operationcount"] = "0"
			given.Options["maxexecutiontime"] = formatNumber(flags.duration.Seconds())
			if !c.Flags().Changed("status") {
				given.Options["status"] = "false"
			}
			settings, err := ycsb.Settle(given)
			if err != nil {
				return err
			}
			steps, err := settle(settings)
			if err != nil {
				return err
			}
			return steps.Do(c.Context(), &ycsb.Screen{Out: os.Stdout, Err: os.Stderr})
		},
	}
	flags.addCommon(command.Flags())
	flags.addOpenLoop(command.Flags())
	for name, value := range map[string]time.Duration{"duration": defaultWindow, "warmup": defaultWarmup} {
		flag := command.Flags().Lookup(name)
		flag.DefValue = value.String()
		if err := flag.Value.Set(flag.DefValue); err != nil {
			panic(err) // a duration can be set
		}
	}
	command.Flags().Lookup("status").DefValue = "false" // a line for each step is progress enough
	command.Flags().StringVar(format, "export", "text", "output as "+strings.Join(ycsb.TableFormats, ", "))
	add(command.Flags())
	return command
}
