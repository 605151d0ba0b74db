package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/hack/localcluster/internal/binaries"
	"github.com/kvbench/kvbench/hack/localcluster/internal/cluster"
	"github.com/kvbench/kvbench/hack/localcluster/internal/host"
	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
	"github.com/kvbench/kvbench/hack/localcluster/internal/process"
	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
	"github.com/kvbench/kvbench/hack/localcluster/internal/provisioner"
)

func newCache(paths layout.Paths, report *progress.Reporter) (binaries.Cache, error) {
	source, err := binaries.Source()
	return binaries.Cache{Dir: paths.Bin(), Source: source, Report: report}, err
}

// locked runs do while no other command changes the cluster.
func locked(ctx context.Context, do func(layout.Paths, *progress.Reporter) error) error {
	if err := host.RequireRoot(); err != nil {
		return err
	}
	paths, report := layout.DefaultPaths(), progress.New()
	release, err := host.Lock(ctx, paths.Lock, report)
	if err != nil {
		return err
	}
	defer release()
	return do(paths, report)
}

func upCommand() *cobra.Command {
	nodes, chaos := 3, true
	cmd := &cobra.Command{
		Use: "up", GroupID: "cluster", Args: cobra.NoArgs,
		Short: "Start the cluster, or complete it",
		Long: `up leaves a sound cluster with all its nodes, DNS, a storage class and images.

What is missing is done: packages installed (it says which), programs built,
images built and loaded, stopped nodes started, nodes added. On a sound cluster
it returns at once. If a cluster is there that isn't whole, because its processes
were killed, all of it is cleared away and a new one made.`,
		Example: `  localcluster up --nodes 5
  localcluster up --chaos-mesh=false          # without Chaos Mesh's images`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return locked(cmd.Context(), func(paths layout.Paths, report *progress.Reporter) error {
				cache, err := newCache(paths, report)
				if err != nil {
					return err
				}
				up := &cluster.Up{Paths: paths, Cache: cache, Report: report, Nodes: nodes, ChaosMesh: chaos}
				if err := up.Run(cmd.Context()); err != nil {
					return err
				}
				report.Say("The cluster is up: export KUBECONFIG=%s", paths.Kubeconfig())
				return nil
			})
		},
	}
	cmd.Flags().IntVar(&nodes, "nodes", nodes, "Kubernetes nodes, spread over three zones")
	cmd.Flags().BoolVar(&chaos, "chaos-mesh", chaos, "build and load Chaos Mesh's images too")
	return cmd
}

func downCommand() *cobra.Command {
	return &cobra.Command{
		Use: "down", GroupID: "cluster", Args: cobra.NoArgs,
		Short: "Remove the cluster: processes, data, interfaces, rules",
		Long: `down removes the cluster, whole or broken, with all its data. Nothing is left
on the machine but the cache of programs and images, and nothing is touched that
isn't the cluster's own.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return locked(cmd.Context(), cluster.Down) },
	}
}

func statusCommand() *cobra.Command {
	return &cobra.Command{
		Use: "status", GroupID: "cluster", Args: cobra.NoArgs,
		Short: "Show processes and nodes; fails if the cluster isn't whole",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cluster.Status(cmd.Context(), layout.DefaultPaths(), cmd.OutOrStdout())
		},
	}
}

func kubeconfigCommand() *cobra.Command {
	raw := false
	cmd := &cobra.Command{
		Use: "kubeconfig", GroupID: "cluster", Args: cobra.NoArgs,
		Short:   "Print the path of the administrator's kubeconfig",
		Example: "  export KUBECONFIG=$(localcluster kubeconfig)",
		RunE: func(cmd *cobra.Command, _ []string) error {
			paths := layout.DefaultPaths()
			if _, err := cluster.Load(paths); err != nil {
				return err
			}
			answer := paths.Kubeconfig()
			if raw {
				content, err := os.ReadFile(answer)
				if err != nil {
					return err
				}
				answer = string(content)
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), answer)
			return err
		},
	}
	cmd.Flags().BoolVar(&raw, "raw", false, "print the file itself")
	return cmd
}

func stopNodeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "stop-node NAME", GroupID: "cluster", Args: cobra.ExactArgs(1),
		Short: "Kill a node and all that runs on it, without warning",
		Long: `stop-node kills a node's kubelet, containerd and all containers at once, as a
power failure does. Kubernetes notices within 20 seconds. The node's volumes stay.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return locked(cmd.Context(), func(paths layout.Paths, report *progress.Reporter) error {
				return cluster.StopNode(paths, report, args[0])
			})
		},
	}
}

func startNodeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "start-node NAME", GroupID: "cluster", Args: cobra.ExactArgs(1),
		Short: "Start a node that was stopped, and wait until it is Ready",
		RunE: func(cmd *cobra.Command, args []string) error {
			return locked(cmd.Context(), func(paths layout.Paths, report *progress.Reporter) error {
				return cluster.StartNode(cmd.Context(), paths, report, args[0])
			})
		},
	}
}

func launchCommand() *cobra.Command {
	return &cobra.Command{
		Use: process.LaunchCommand, Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return process.Launch() },
	}
}

func provisionerCommand() *cobra.Command {
	return &cobra.Command{
		Use: "provisioner", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runProvisioner(cmd.Context())
		},
	}
}

func runProvisioner(ctx context.Context) error {
	return provisioner.Run(ctx, layout.DefaultPaths())
}
