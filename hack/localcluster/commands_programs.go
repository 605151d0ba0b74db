package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/hack/localcluster/internal/binaries"
	"github.com/kvbench/kvbench/hack/localcluster/internal/cluster"
	"github.com/kvbench/kvbench/hack/localcluster/internal/debian"
	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
	"github.com/kvbench/kvbench/hack/localcluster/internal/maven"
	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
	"github.com/kvbench/kvbench/hack/localcluster/internal/servers"
)

func programsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "programs", GroupID: "images", Args: cobra.NoArgs,
		Short: "Build all programs of a cluster and of its tests that are missing",
		Long: `programs builds what up, chaos-images and prometheus-image would build, and needs no
cluster. Run with nice beside other work, it leaves nothing to build for them. It needs
root only to install a Debian package that a build takes; it says which.`,
		Example: "  nice -n 19 localcluster programs",
		RunE: func(cmd *cobra.Command, _ []string) error {
			paths, report := layout.DefaultPaths(), progress.New()
			cache, err := newCache(paths, report)
			if err != nil {
				return err
			}
			up := &cluster.Up{Paths: paths, Cache: cache, Report: report}
			return up.Build(cmd.Context(), binaries.ForTests())
		},
	}
}

func binDirCommand() *cobra.Command {
	return &cobra.Command{
		Use: "bin-dir GROUP", GroupID: "images", Args: cobra.ExactArgs(1),
		Short:   "Build a group of programs if missing, and print its folder",
		Long:    "bin-dir knows the groups kubernetes (with kubectl), etcd, containerd, runc, cni, coredns, chaosmesh, prometheus and kube-router.",
		Example: "  $(localcluster bin-dir kubernetes)/kubectl get nodes",
		RunE: func(cmd *cobra.Command, args []string) error {
			cache, err := newCache(layout.DefaultPaths(), progress.New())
			if err != nil {
				return err
			}
			for _, g := range binaries.All() {
				if g.Name != args[0] {
					continue
				}
				built, err := cache.Ensure(cmd.Context(), g)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), built.Dir)
				return err
			}
			return fmt.Errorf("there is no group %q: see --help", args[0])
		},
	}
}

func storeProgramsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "store-programs [STORE...]", GroupID: "images",
		Short: "Print folders of stores' servers that run on this machine",
		Long: `store-programs fetches the servers of these stores, or of all, from Debian's
packages and Maven Central into the cache, and prints their folders, those of jars among
them, with a colon between them. It needs neither root nor a cluster, and installs nothing.`,
		Example: "  export KVBENCH_BIN_DIR=$(localcluster store-programs)",
		RunE: func(cmd *cobra.Command, args []string) error {
			recipes, err := servers.Find(args)
			if err != nil {
				return err
			}
			from := newSources(layout.DefaultPaths(), progress.New())
			var folders []string
			for _, r := range recipes {
				found, err := r.Folders(cmd.Context(), from)
				if err != nil {
					return err
				}
				folders = append(folders, found...)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), strings.Join(folders, string(filepath.ListSeparator)))
			return err
		},
	}
}

func newSources(paths layout.Paths, report *progress.Reporter) servers.Sources {
	return servers.Sources{
		Debian: debian.Cache{Dir: paths.Debian(), Report: report},
		Maven:  maven.Cache{Dir: paths.Maven(), Repository: maven.Central, Report: report},
	}
}
