package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli"
	"github.com/kvbench/kvbench/internal/cli/screen"
)

func runCommand() *cobra.Command {
	file, out, kubeconfig := "config/samples/etcd-leader-kill.yaml", "_output/demo", recorded
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Do a BenchmarkRun: show its progress, print its report, keep its bundle",
		Long: `run is kubectl kvbench run --replace --keep. Into the local cluster, which has no registry, it loads the
store's image first.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			wanted, err := readRun(file)
			if err != nil {
				return err
			}
			k, err := connect(kubeconfig)
			if err != nil {
				return fmt.Errorf("%w\nmake cluster brings one up", err)
			}
			s := screen.New(os.Stdout)
			defer s.Keep()
			if err := loadStoreImage(cmd.Context(), s, k, wanted); err != nil {
				return err
			}
			kvbench := cli.Command(os.Stdin, os.Stdout, os.Stderr)
			kvbench.SetArgs([]string{"run", "--kubeconfig", kubeconfig, "-f", file, "--replace", "--keep", out})
			return kvbench.ExecuteContext(cmd.Context())
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", file, "the BenchmarkRun")
	cmd.Flags().StringVarP(&out, "output", "o", out, "folder for report.html, report.json, report.md and bundle/")
	cmd.Flags().StringVar(&kubeconfig, "kubeconfig", kubeconfig, "kubeconfig (default: of the last install)")
	return cmd
}

func readRun(file string) (*v1alpha1.BenchmarkRun, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	run := &v1alpha1.BenchmarkRun{}
	if err := yaml.UnmarshalStrict(content, run); err != nil {
		return nil, fmt.Errorf("reading a BenchmarkRun from %s: %w", file, err)
	}
	if run.Kind != "BenchmarkRun" || run.Name == "" {
		return nil, fmt.Errorf("%s: want one BenchmarkRun with a metadata.name", file)
	}
	if run.Namespace == "" {
		run.Namespace = "default"
	}
	return run, nil
}
