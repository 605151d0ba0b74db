// Command kubectl-kvbench is a plugin of kubectl: kubectl kvbench.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/kvbench/kvbench/internal/cli"
	"github.com/kvbench/kvbench/internal/cli/exit"
)

// interrupted is the exit code of a process that was told to end, as shells have it.
const interrupted = 130

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process, whatever it waits for
	// Libraries report through these what this program reports in its own words.
	ctrllog.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	err := cli.Command(os.Stdin, os.Stdout, os.Stderr).ExecuteContext(ctx)
	stop()
	if errors.Is(err, context.Canceled) {
		os.Exit(interrupted)
	}
	if err != nil && err.Error() != "" {
		fmt.Fprintln(os.Stderr, "Error:", err)
	}
	os.Exit(exit.Code(err))
}
