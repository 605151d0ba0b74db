package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/hack/localcluster/internal/binaries"
	"github.com/kvbench/kvbench/hack/localcluster/internal/cluster"
	"github.com/kvbench/kvbench/hack/localcluster/internal/debian"
	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
	"github.com/kvbench/kvbench/hack/localcluster/internal/maven"
	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
	"github.com/kvbench/kvbench/hack/localcluster/internal/servers"
)

func prepareCommand() *cobra.Command {
	return &cobra.Command{
		Use: "prepare", GroupID: "images", Args: cobra.NoArgs,
		Short: "Make all programs and images of a cluster and of its tests that are missing",
		Long: `prepare makes what up, chaos-images, prometheus-image and store-images would make, and
needs no cluster; what takes them a second or less is left to them. It is to be run with
nice, beside other work. It needs root to make Chaos Mesh's images, and to install a Debian package
that a build takes; it says which.`,
		Example: "  nice -n 19 localcluster prepare",
		RunE: func(cmd *cobra.Command, _ []string) error {
			paths, report := layout.DefaultPaths(), progress.New()
			maker, err := newMaker(paths, report)
			if err != nil {
				return err
			}
			recipes, err := servers.Find(nil)
			if err != nil {
				return err
			}
			// These wait for the network, the rest for the cores.
			if _, _, err := storeArchives(cmd.Context(), paths, report, recipes); err != nil {
				return err
			}
			up := &cluster.Up{Paths: paths, Cache: maker.Cache, Report: report}
			if err := up.Build(cmd.Context(), binaries.ForTests()); err != nil {
				return err
			}
			if _, err := maker.Archives(cmd.Context()); err != nil {
				return err
			}
			prometheus, err := maker.Cache.Ensure(cmd.Context(), binaries.Prometheus)
			if err != nil {
				return err
			}
			_, _, err = maker.Images.Prometheus(prometheus)
			return err
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
		Maven:  maven.Cache{Dir: paths.Maven(), Repository: maven.Central, Report: report, Pause: 2 * time.Second},
	}
}
