// Command localcluster runs a real Kubernetes on a bare Linux machine: without
// Docker, without a registry, from Go modules and Debian packages. Its nodes are
// real ones, each with a kubelet and a containerd of its own, so that they can
// fail one by one.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := root().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "localcluster:", err)
		os.Exit(1)
	}
}

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "localcluster",
		Short: "A real Kubernetes on this machine, for development and tests",
		Long: `localcluster runs a real Kubernetes of several nodes on one Linux machine.

It needs root, Go, gcc and package registries, and no Docker, no image registry
and no other installation: every program is built from its Go module and kept in
a cache folder. The first start builds for some 15 minutes on two cores; from
then on a cluster is up within about a minute.`,
		Example: `  localcluster up                             # three nodes in three zones
  export KUBECONFIG=$(localcluster kubeconfig)
  localcluster stop-node node2                # as if its power failed
  localcluster start-node node2
  localcluster down                           # nothing is left but the cache`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.AddGroup(&cobra.Group{ID: "cluster", Title: "The cluster:"},
		&cobra.Group{ID: "images", Title: "Images and charts:"})
	cmd.AddCommand(upCommand(), downCommand(), statusCommand(), kubeconfigCommand(),
		stopNodeCommand(), startNodeCommand(),
		buildImageCommand(), loadImageCommand(), chaosImagesCommand(), chaosChartCommand(), prometheusImageCommand(),
		storeImagesCommand(), storesCommand(), storeProgramsCommand(), envtestCommand(), kubeRouterCommand(), prepareCommand(), binDirCommand(),
		launchCommand(), provisionerCommand())
	return cmd
}
