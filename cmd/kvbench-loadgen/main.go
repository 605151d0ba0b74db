// Command kvbench-loadgen runs in the pods of a run: it loads and measures
// (`load`, `measure`, `reset`), observes the store's members (`observe`), and computes a
// report again from a bundle (`report`).
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/loadgen"
)

// Exit codes, which the controller reads.
const (
	exitFailed         = 1
	exitSecondClaimant = 3
	exitLost           = 4
)

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		received := <-signals
		signal.Stop(signals) // a second one ends the program at once
		cancel(fmt.Errorf("received %v: ended before it was done", received))
	}()

	root := &cobra.Command{
		Use:           "kvbench-loadgen",
		Short:         "Drives and observes a key-value store for a BenchmarkRun",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(newLoadCommand(), newMeasureCommand(), newResetCommand(), newObserveCommand(), newReportCommand())
	if err := root.ExecuteContext(ctx); err != nil {
		explain(err)
		os.Exit(exitCode(err))
	}
}

func exitCode(err error) int {
	switch {
	case errors.Is(err, loadgen.ErrSecondClaimant):
		return exitSecondClaimant
	case errors.Is(err, loadgen.ErrMeasurementLost):
		return exitLost
	}
	return exitFailed
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
