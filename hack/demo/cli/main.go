// Command demo installs kvbench on a cluster and does a run there, from this checkout.
//
// `make cluster` and `make demo` call it. The end-to-end tests use the cluster that it leaves.
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
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// Libraries report through these what this program reports in its own words.
	ctrllog.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))

	cmd := &cobra.Command{
		Use:           "demo",
		Short:         "Install kvbench from this checkout, and do a run",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.AddCommand(installCommand(), runCommand(), downCommand())
	err := cmd.ExecuteContext(ctx)
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		os.Exit(130)
	case err.Error() != "": // or the verdict has been printed
		fmt.Fprintln(os.Stderr, "demo:", err)
		fallthrough
	default:
		os.Exit(1)
	}
}
