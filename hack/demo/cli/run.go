package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

func runCommand() *cobra.Command {
	file, out, kubeconfig := "config/samples/etcd-leader-kill.yaml", "_output/demo", recorded
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Do a BenchmarkRun: show its progress, print its report, keep its bundle",
		Long: `run applies a BenchmarkRun and follows it to its end. It succeeds only when the run is
complete and its numbers are valid. Into the local cluster, which has no registry, it
loads the store's image first.`,
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
			s := newScreen(os.Stdout)
			defer s.Keep()
			return do(cmd.Context(), s, k, wanted, out)
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", file, "the BenchmarkRun")
	cmd.Flags().StringVarP(&out, "output", "o", out, "folder for report.json, report.md and bundle/")
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

// do is the whole way of one run.
func do(ctx context.Context, s *screen, k *cluster, wanted *v1alpha1.BenchmarkRun, out string) error {
	if err := removeEarlier(ctx, s, k, wanted); err != nil {
		return err
	}
	if err := loadStoreImage(ctx, s, k, wanted); err != nil {
		return err
	}
	run := wanted.DeepCopy()
	if err := k.Create(ctx, run); err != nil {
		return fmt.Errorf("the API server refused the run: %w", err)
	}
	s.Say("Applied BenchmarkRun %s/%s", run.Namespace, run.Name)
	results := &link{k: k, namespace: resultsNamespace}
	defer results.Close()
	err := follow(ctx, s, k, results, run)
	if errors.Is(err, context.Canceled) {
		s.Keep()
		s.Say("The run goes on in the cluster. To watch it:  kubectl -n %s get benchmarkrun %s -w\nTo cancel it:    kubectl -n %s delete benchmarkrun %s",
			run.Namespace, run.Name, run.Namespace, run.Name)
		return err
	}
	if err != nil {
		return err
	}
	if meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionReported) {
		if err := keep(ctx, s, results, run, out); err != nil {
			return err
		}
	}
	return verdict(s, run)
}

// removeEarlier deletes a run of the same name, and waits until all of it is gone.
func removeEarlier(ctx context.Context, s *screen, k *cluster, wanted *v1alpha1.BenchmarkRun) error {
	key := client.ObjectKeyFromObject(wanted)
	earlier := &v1alpha1.BenchmarkRun{}
	err := k.Get(ctx, key, earlier)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if meta.IsNoMatchError(err) {
		return fmt.Errorf("kvbench isn't installed in this cluster: run make cluster first: %w", err)
	}
	if err != nil {
		return fmt.Errorf("looking for an earlier run %s: %w", key, err)
	}
	return s.Step("Deleting the earlier run "+key.String(), func() error {
		if err := k.Delete(ctx, earlier, client.PropagationPolicy(metav1.DeletePropagationBackground)); client.IgnoreNotFound(err) != nil {
			return err
		}
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			if err := k.Get(ctx, key, earlier); err != nil {
				return client.IgnoreNotFound(err)
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-tick.C:
			}
		}
	})
}
