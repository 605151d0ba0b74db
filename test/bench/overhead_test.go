//go:build e2e

package bench

import (
	"context"
	"io/fs"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/charts"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/helm"
)

const deadline = 5 * time.Minute

// BenchmarkApplyToMeasurement times the demo's run from its creation to the first measured
// operation, beside what the same chart takes from helm install to the last ready member.
// The run also loads 2,000 records and warms up for 10 s.
func BenchmarkApplyToMeasurement(b *testing.B) {
	c := connect(b)
	var bare, run time.Duration
	for i := range b.N {
		bare += c.bareInstall(b, unique("bare", i))
		run += c.runToMeasurement(b, unique("run", i))
	}
	n := time.Duration(b.N)
	b.ReportMetric((bare / n).Seconds(), "s/bare-helm")
	b.ReportMetric((run / n).Seconds(), "s/apply-to-measurement")
	b.ReportMetric(((run - bare) / n).Seconds(), "s/beyond")
	b.ReportMetric(0, "ns/op")
}

func (c *cluster) bareInstall(b *testing.B, name string) time.Duration {
	b.Helper()
	like := sample(b, name)
	like.UID = types.UID(name)
	compiled, err := compile.Compile(like, nil)
	must(b, err)
	chart, err := fs.Sub(charts.Stores(), compiled.Store.Chart)
	must(b, err)
	labels := map[string]string{"bench": name}
	release := helm.Release{Name: name, Namespace: namespace, Chart: chart, Values: compiled.Store.Values, Labels: labels}
	releases := helm.New(c.config, namespace)
	defer func() {
		ctx := context.WithoutCancel(b.Context())
		must(b, releases.Uninstall(ctx, name))
		must(b, c.DeleteAllOf(ctx, &corev1.PersistentVolumeClaim{}, client.InNamespace(namespace), client.MatchingLabels(labels)))
		c.until(b, "the members are gone", func() bool {
			pods := &corev1.PodList{}
			must(b, c.List(ctx, pods, client.InNamespace(namespace), client.MatchingLabels(labels)))
			return len(pods.Items) == 0
		})
	}()

	begin := time.Now()
	must(b, releases.Install(b.Context(), release))
	c.until(b, "all members are ready", func() bool {
		sets := &appsv1.StatefulSetList{}
		must(b, c.List(b.Context(), sets, client.InNamespace(namespace), client.MatchingLabels(labels)))
		return len(sets.Items) == 1 && sets.Items[0].Status.ReadyReplicas == *sets.Items[0].Spec.Replicas
	})
	return time.Since(begin)
}

func (c *cluster) runToMeasurement(b *testing.B, name string) time.Duration {
	b.Helper()
	run := sample(b, name)
	begin := time.Now()
	must(b, c.Create(b.Context(), run))
	defer c.remove(b, run)
	c.until(b, "the run starts its measurement", func() bool {
		must(b, c.Get(b.Context(), client.ObjectKeyFromObject(run), run))
		return len(run.Status.Workloads) > 0 && run.Status.Workloads[0].StartedAtUnixNanos > 0
	})
	warmup, err := time.ParseDuration(string(*run.Spec.Load.Warmup))
	must(b, err)
	return time.Unix(0, run.Status.Workloads[0].StartedAtUnixNanos).Add(warmup).Sub(begin)
}

// remove cancels the run and waits until nothing of it is left.
func (c *cluster) remove(b *testing.B, run *v1alpha1.BenchmarkRun) {
	b.Helper()
	ctx := context.WithoutCancel(b.Context())
	must(b, client.IgnoreNotFound(c.Delete(ctx, run)))
	c.until(b, "the run is gone", func() bool {
		return apierrors.IsNotFound(c.Get(ctx, client.ObjectKeyFromObject(run), run))
	})
}

// until asks ten times a second.
func (c *cluster) until(b *testing.B, what string, reached func() bool) {
	b.Helper()
	err := wait.PollUntilContextTimeout(context.WithoutCancel(b.Context()), 100*time.Millisecond, deadline, true,
		func(context.Context) (bool, error) { return reached(), nil })
	if err != nil {
		b.Fatalf("not reached within %s: %s", deadline, what)
	}
}
