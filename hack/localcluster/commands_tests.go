package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/hack/localcluster/internal/binaries"
	"github.com/kvbench/kvbench/hack/localcluster/internal/host"
	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
)

func kubeRouterCommand() *cobra.Command {
	return &cobra.Command{
		Use: "kube-router", GroupID: "images", Args: cobra.NoArgs,
		Short: "Build kube-router if missing, install what it runs, and print its path",
		Long: `kube-router enforces network policies with iptables and ipset. Tests run it in a
network namespace of their own; the cluster doesn't. It needs root, but no cluster.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := host.RequireRoot(); err != nil {
				return err
			}
			report := progress.New()
			if err := host.Install(report, host.ForKubeRouter()); err != nil {
				return err
			}
			cache, err := newCache(layout.DefaultPaths(), report)
			if err != nil {
				return err
			}
			built, err := cache.Ensure(cmd.Context(), binaries.KubeRouter)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), built.Path("kube-router"))
			return err
		},
	}
}

func envtestCommand() *cobra.Command {
	return &cobra.Command{
		Use: "envtest-assets", GroupID: "images", Args: cobra.NoArgs,
		Short:   "Print a folder with kube-apiserver, etcd and kubectl for envtest",
		Long:    "envtest-assets builds those three if they are missing, and nothing else. It needs neither root nor a cluster.",
		Example: "  export KUBEBUILDER_ASSETS=$(localcluster envtest-assets)",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cache, err := newCache(layout.DefaultPaths(), progress.New())
			if err != nil {
				return err
			}
			dir, err := cache.Envtest(cmd.Context())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), dir)
			return err
		},
	}
}
