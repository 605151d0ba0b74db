// Command kvbench-loadgen is the load generator. On a command line it is a YCSB client
// (`load`, `run`, `search`, `sweep`). In the pods of a BenchmarkRun it loads, measures and
// observes (`pod`). It computes a report again from a bundle (`report`).
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/ycsb"
)

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		received := <-signals
		signal.Stop(signals) // a second one ends the program at once
		cancel(&ycsb.Signalled{Signal: received})
	}()
	endUnread(cancel)
	if err := execute(ctx, os.Args[1:]); err != nil {
		if ofUnread(err) {
			os.Exit(exitSignal + int(syscall.SIGPIPE)) // as silently as others do
		}
		explain(err)
		os.Exit(exitCode(err))
	}
}

func execute(ctx context.Context, args []string) error {
	args, err := withTwoDashes(args)
	if err != nil {
		return err
	}
	root := newRoot()
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "kvbench-loadgen",
		Short:         "Drives and observes a key-value store",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.Help()
			}
			return ycsb.Refuse("there is no command %q: see kvbench-loadgen --help", args[0])
		},
	}
	root.SetFlagErrorFunc(optionError)
	root.AddCommand(newClientCommand(true), newClientCommand(false), newSearchCommand(), newSweepCommand(), newPodCommand(), newReportCommand())
	return root
}

// terminationLog is where Kubernetes takes a container's last words from.
const terminationLog = "/dev/termination-log"

func explain(err error) {
	fmt.Fprintln(os.Stderr, "kvbench-loadgen:", err)
	// Outside a pod there is no such file, and none is made.
	if file, openErr := os.OpenFile(terminationLog, os.O_WRONLY|os.O_APPEND, 0); openErr == nil {
		fmt.Fprintln(file, err)
		file.Close()
	}
}

func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}
