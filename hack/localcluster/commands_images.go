package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/hack/localcluster/internal/binaries"
	"github.com/kvbench/kvbench/hack/localcluster/internal/chaosmesh"
	"github.com/kvbench/kvbench/hack/localcluster/internal/cluster"
	"github.com/kvbench/kvbench/hack/localcluster/internal/images"
	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
	"github.com/kvbench/kvbench/hack/localcluster/internal/servers"
)

func buildImageCommand() *cobra.Command {
	var spec images.Spec
	var out string
	var files, dirs []string
	cmd := &cobra.Command{
		Use: "build-image", GroupID: "images", Args: cobra.NoArgs,
		Short: "Build an image from files of this machine, without Docker",
		Long: `build-image writes an OCI archive that load-image, containerd and Docker can
import. Files keep their modes and become root's. Without --base the image holds
nothing else but /tmp and the users root, nonroot (65532) and nobody, so programs
must be linked statically (CGO_ENABLED=0).`,
		Example: `  localcluster build-image --ref ghcr.io/kvbench/kvbench:dev --user 65532 \
    --file /kvbench=bin/kvbench --entrypoint /kvbench --out bin/kvbench.tar
  localcluster load-image bin/kvbench.tar`,
		RunE: func(*cobra.Command, []string) error {
			spec.Files, spec.Dirs = map[string]string{}, map[string]int64{}
			for _, f := range files {
				path, source, ok := strings.Cut(f, "=")
				if !ok || !strings.HasPrefix(path, "/") {
					return fmt.Errorf("--file %s: want /path/in/the/image=file-or-folder", f)
				}
				spec.Files[path] = source
			}
			for _, d := range dirs {
				path, mode, ok := strings.Cut(d, "=")
				if !ok {
					mode = "0755"
				}
				bits, err := strconv.ParseInt(mode, 8, 32)
				if err != nil {
					return fmt.Errorf("--dir %s: want /path or /path=MODE with an octal mode", d)
				}
				spec.Dirs[path] = bits
			}
			return images.Build(spec, out)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&spec.Refs, "ref", nil, "name of the image, with registry and tag (repeatable)")
	f.StringArrayVar(&spec.Entrypoint, "entrypoint", nil, "program and leading arguments (repeatable, one each)")
	f.StringArrayVar(&spec.Cmd, "cmd", nil, "arguments that a pod may replace (repeatable, one each)")
	f.StringArrayVar(&spec.Env, "env", nil, "NAME=value (repeatable; PATH is set)")
	f.StringVar(&spec.User, "user", "", "user, e.g. 65532 or 1000:1000")
	f.StringVar(&spec.WorkingDir, "workdir", "", "working folder")
	f.StringArrayVar(&files, "file", nil, "/path/in/the/image=file-or-folder (repeatable)")
	f.StringArrayVar(&dirs, "dir", nil, "/path=MODE of an empty folder (repeatable)")
	f.StringArrayVar(&spec.Bases, "base", nil, "tar file of a root file system to build on (repeatable)")
	f.StringVar(&out, "out", "", "archive to write")
	for _, required := range []string{"ref", "out"} {
		if err := cmd.MarkFlagRequired(required); err != nil {
			panic(err)
		}
	}
	return cmd
}

func loadImageCommand() *cobra.Command {
	return &cobra.Command{
		Use: "load-image FILE.tar...", GroupID: "images", Args: cobra.MinimumNArgs(1),
		Short: "Load image archives into every node that hasn't got them",
		RunE: func(cmd *cobra.Command, args []string) error {
			return locked(cmd.Context(), func(paths layout.Paths, report *progress.Reporter) error {
				return loadAll(cmd, paths, report, args)
			})
		},
	}
}

func loadAll(cmd *cobra.Command, paths layout.Paths, report *progress.Reporter, archives []string) error {
	record, err := cluster.Load(paths)
	if err != nil {
		return err
	}
	absolute := make([]string, len(archives))
	for i, a := range archives {
		if absolute[i], err = filepath.Abs(a); err != nil {
			return err
		}
	}
	loader := images.Loader{Ctr: record.Programs["ctr"], Report: report}
	return loader.Load(cmd.Context(), record.Running(paths), absolute...)
}

func chaosImagesCommand() *cobra.Command {
	return &cobra.Command{
		Use: "chaos-images", GroupID: "images", Args: cobra.NoArgs,
		Short: "Build Chaos Mesh's images and load them (up does it too)",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return locked(cmd.Context(), func(paths layout.Paths, report *progress.Reporter) error {
				maker, err := newMaker(paths, report)
				if err != nil {
					return err
				}
				archives, err := maker.Archives(cmd.Context())
				if err != nil {
					return err
				}
				return loadAll(cmd, paths, report, archives)
			})
		},
	}
}

func prometheusImageCommand() *cobra.Command {
	return &cobra.Command{
		Use: "prometheus-image", GroupID: "images", Args: cobra.NoArgs,
		Short: "Build Prometheus' image, load it, and print its name",
		Long: `prometheus-image builds Prometheus from its module, without the pages of its user
interface, loads the image into every node, and prints the image's name.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return locked(cmd.Context(), func(paths layout.Paths, report *progress.Reporter) error {
				cache, err := newCache(paths, report)
				if err != nil {
					return err
				}
				built, err := cache.Ensure(cmd.Context(), binaries.Prometheus)
				if err != nil {
					return err
				}
				builder := images.Builder{Dir: paths.Images(), Report: report}
				name, archive, err := builder.Prometheus(built)
				if err != nil {
					return err
				}
				if err := loadAll(cmd, paths, report, []string{archive}); err != nil {
					return err
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), name)
				return err
			})
		},
	}
}

func storeImagesCommand() *cobra.Command {
	return &cobra.Command{
		Use: "store-images [STORE...]", GroupID: "images",
		Short: "Make the images of stores that are no Go programs, load them, and print their names",
		Long: `store-images makes the images of these stores, or of all, from Debian's packages and,
where they are Java's, from Maven Central's jars, loads them into every node, and prints
their names. They have upstream's names; their tags are the version that is in them. The stores: ` + strings.Join(servers.Names(), ", ") + `.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			recipes, err := servers.Find(args)
			if err != nil {
				return err
			}
			return locked(cmd.Context(), func(paths layout.Paths, report *progress.Reporter) error {
				archives, names, err := storeArchives(cmd.Context(), paths, report, recipes)
				if err != nil {
					return err
				}
				if err := loadAll(cmd, paths, report, archives); err != nil {
					return err
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), strings.Join(names, "\n"))
				return err
			})
		},
	}
}

func storesCommand() *cobra.Command {
	return &cobra.Command{
		Use: "stores", GroupID: "images", Args: cobra.NoArgs,
		Short: "Print the names of the stores that store-images makes images of",
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), strings.Join(servers.Names(), "\n"))
			return err
		},
	}
}

// storeArchives makes the stores' images that are missing, and returns their archives and names.
func storeArchives(ctx context.Context, paths layout.Paths, report *progress.Reporter, recipes []servers.Recipe) (archives, names []string, err error) {
	from, builder := newSources(paths, report), images.Builder{Dir: paths.Images(), Report: report}
	for _, r := range recipes {
		refs, archive, err := r.Archive(ctx, from, builder)
		if err != nil {
			return nil, nil, err
		}
		archives, names = append(archives, archive), append(names, refs...)
	}
	return archives, names, nil
}

func newMaker(paths layout.Paths, report *progress.Reporter) (chaosmesh.Maker, error) {
	cache, err := newCache(paths, report)
	return chaosmesh.Maker{
		Cache:  cache,
		Images: images.Builder{Dir: paths.Images(), Report: report},
		Charts: filepath.Join(paths.Cache, "charts"),
	}, err
}

func chaosChartCommand() *cobra.Command {
	return &cobra.Command{
		Use: "chaos-chart", GroupID: "images", Args: cobra.NoArgs,
		Short: "Print the folder of Chaos Mesh's chart, and its values for this cluster",
		Long: `chaos-chart prints two absolute paths, one on each line:

  1. the folder of a Helm chart: Chaos Mesh's own, with its CRDs repaired
  2. a values file for it, which fits clusters of localcluster

Both lie in the cache folder, are made when missing, and don't need a cluster.
Install the chart in the namespace chaos-mesh, CRDs included.`,
		Example: `  localcluster chaos-chart | { read chart; read values;
    helm install chaos-mesh "$chart" --values "$values" --namespace chaos-mesh --create-namespace; }`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			maker, err := newMaker(layout.DefaultPaths(), progress.New())
			if err != nil {
				return err
			}
			chart, err := maker.Chart(cmd.Context())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s\n", chart.Dir, chart.Values)
			return err
		},
	}
}
