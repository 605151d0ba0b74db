//go:build e2e

package bench

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/suite"
)

const (
	// finishedRuns is how many trials of the suite have ended.
	finishedRuns = 1000
	// passes are made of the suite while it is looked at.
	passes = 300
)

var controllerLabels = client.MatchingLabels{"app.kubernetes.io/component": "controller"}

// BenchmarkSuiteOfAThousandRuns gives the controller a suite of 1,000 finished runs, and changes the suite's annotations, so that it
// looks at all of them again each time. The runs were not made by the controller: each is a copy of one that was.
func BenchmarkSuiteOfAThousandRuns(b *testing.B) {
	c := connect(b)
	c.makeRoom(b)
	for i := range b.N {
		first := c.finish(b, sample(b, unique("model", i)))
		of := c.suiteOf(b, unique("suite", i))
		c.scaleController(b, 0)
		c.makeFinished(b, of, first)
		c.scaleController(b, 1)
		c.until(b, "the suite knows its runs", func() bool {
			must(b, c.Get(b.Context(), client.ObjectKeyFromObject(of), of))
			return of.Status.Runs != nil && of.Status.Runs.Done == finishedRuns
		})
		before := c.passesOf(b, "benchmarksuite")
		for k := range passes {
			changed := of.DeepCopy()
			metav1.SetMetaDataAnnotation(&changed.ObjectMeta, "bench", fmt.Sprint(k))
			must(b, c.Patch(b.Context(), changed, client.MergeFrom(of)))
			time.Sleep(200 * time.Millisecond) // so that each change has a pass of its own, and the API server leaves it the cores
		}
		after := c.passesOf(b, "benchmarksuite")
		b.ReportMetric(float64(after.count-before.count), "passes")
		b.ReportMetric(1000*(after.sum-before.sum)/float64(after.count-before.count), "ms/pass")
		b.ReportMetric(1000*after.quantile(before, 0.99), "ms-p99-at-most")
		b.ReportMetric(c.scrape(b, systemNamespace, controllerLabels)[resident]/megabyte, "MB-controller")

		must(b, c.Delete(b.Context(), of))
		must(b, c.DeleteAllOf(b.Context(), &v1alpha1.BenchmarkRun{}, client.InNamespace(namespace), client.MatchingLabels{"bench": of.Name}))
		c.remove(b, first)
	}
	b.ReportMetric(0, "ns/op")
}

// makeRoom lets the results server keep as many runs as the suite has, until the benchmark ends.
func (c *cluster) makeRoom(b *testing.B) {
	b.Helper()
	before := c.resultsArgs(b, func(args []string) []string {
		return append(slices.Clone(args), fmt.Sprintf("--max-runs=%d", 4*finishedRuns), "--keep-bytes=64Gi") // the last one counts
	})
	b.Cleanup(func() { c.resultsArgs(b, func([]string) []string { return before }) })
}

// resultsArgs changes the arguments of the results server, waits until it runs with them, and returns those from before.
func (c *cluster) resultsArgs(b *testing.B, change func([]string) []string) (before []string) {
	b.Helper()
	ctx := context.WithoutCancel(b.Context())
	set := &appsv1.StatefulSet{}
	must(b, c.Get(ctx, client.ObjectKey{Namespace: systemNamespace, Name: "kvbench-results"}, set))
	old := set.DeepCopy()
	container := &set.Spec.Template.Spec.Containers[0]
	before = container.Args
	container.Args = change(before)
	must(b, c.Patch(ctx, set, client.MergeFrom(old)))
	c.until(b, "the results server runs with other arguments", func() bool {
		must(b, c.Get(ctx, client.ObjectKeyFromObject(set), set))
		return set.Status.ObservedGeneration == set.Generation && set.Status.UpdatedReplicas == 1 && set.Status.ReadyReplicas == 1
	})
	return before
}

// finish makes the run, and waits for its end.
func (c *cluster) finish(b *testing.B, run *v1alpha1.BenchmarkRun) *v1alpha1.BenchmarkRun {
	b.Helper()
	must(b, c.Create(b.Context(), run))
	c.until(b, "the run is complete", func() bool {
		must(b, c.Get(b.Context(), client.ObjectKeyFromObject(run), run))
		return meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete)
	})
	return run
}

// suiteOf creates a suite with eight more trials than runs that have ended. It is suspended, so that it makes none.
func (c *cluster) suiteOf(b *testing.B, name string) *v1alpha1.BenchmarkSuite {
	b.Helper()
	of := &v1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	must(b, yaml.UnmarshalStrict([]byte(`
template: {spec: {store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A, duration: 5m}]}}
axes: [{name: rate, path: /load/rate, values: [100, 200, 300, 400, 500, 600, 700, 800]}]
suspend: true
retries: 0
`), &of.Spec))
	of.Spec.Trials.Count, of.Spec.MaxRuns = ptr.To[int32](finishedRuns/8+1), ptr.To[int32](finishedRuns+8)
	must(b, c.Create(b.Context(), of))
	c.until(b, "the suite is accepted", func() bool {
		must(b, c.Get(b.Context(), client.ObjectKeyFromObject(of), of))
		return meta.IsStatusConditionTrue(of.Status.Conditions, v1alpha1.ConditionAccepted)
	})
	return of
}

// makeFinished makes the suite's first runs, which ended as the model did.
func (c *cluster) makeFinished(b *testing.B, of *v1alpha1.BenchmarkSuite, like *v1alpha1.BenchmarkRun) {
	b.Helper()
	combinations, problems := suite.Expand(&of.Spec)
	if len(problems) > 0 {
		b.Fatal(problems.String())
	}
	stores, err := suite.Stores(&of.Spec, combinations, nil)
	must(b, err)
	seed := suite.Seed(of)
	turns := suite.Turns(seed, stores, suite.Blocks(of))[:finishedRuns]
	for i := range turns {
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: suite.RunName(of.Name, &turns[i], 0), Labels: map[string]string{"bench": of.Name},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(of, v1alpha1.GroupVersion.WithKind("BenchmarkSuite"))},
		}, Spec: *suite.SpecOf(combinations, &turns[i], seed)}
		must(b, c.Create(b.Context(), run))
		run.Status = *like.Status.DeepCopy()
		must(b, c.Status().Update(b.Context(), run))
	}
}

// scaleController ends the controller's pods, or begins them again and waits until one leads.
func (c *cluster) scaleController(b *testing.B, replicas int32) {
	b.Helper()
	ctx := context.WithoutCancel(b.Context())
	deployments := &appsv1.DeploymentList{}
	must(b, c.List(ctx, deployments, client.InNamespace(systemNamespace), controllerLabels))
	if len(deployments.Items) != 1 {
		b.Fatalf("%d deployments of the controller", len(deployments.Items))
	}
	deployment := &deployments.Items[0]
	before := deployment.DeepCopy()
	deployment.Spec.Replicas = &replicas
	must(b, c.Patch(ctx, deployment, client.MergeFrom(before)))
	c.until(b, fmt.Sprintf("the controller has %d pods", replicas), func() bool {
		pods := &corev1.PodList{}
		must(b, c.List(ctx, pods, client.InNamespace(systemNamespace), controllerLabels))
		must(b, c.Get(ctx, client.ObjectKeyFromObject(deployment), deployment))
		return len(pods.Items) == int(replicas) && deployment.Status.ReadyReplicas == replicas
	})
}

// histogram of the time of passes, in seconds, with counts up to each bound.
type histogram struct {
	count  uint64
	sum    float64
	bounds []float64
	upTo   []uint64
}

// passesOf is what the controller of that name did so far.
func (c *cluster) passesOf(b *testing.B, controller string) (h histogram) {
	b.Helper()
	pods := &corev1.PodList{}
	must(b, c.List(b.Context(), pods, client.InNamespace(systemNamespace), controllerLabels))
	if len(pods.Items) != 1 {
		b.Fatalf("the controller has %d pods", len(pods.Items))
	}
	text, err := c.clients.CoreV1().Pods(systemNamespace).ProxyGet("http", pods.Items[0].Name, "8080", "/metrics", nil).DoRaw(b.Context())
	must(b, err)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	must(b, err)
	for _, m := range families["controller_runtime_reconcile_time_seconds"].GetMetric() {
		for _, label := range m.GetLabel() {
			if label.GetName() != "controller" || label.GetValue() != controller {
				continue
			}
			h.count, h.sum = m.GetHistogram().GetSampleCount(), m.GetHistogram().GetSampleSum()
			for _, bucket := range m.GetHistogram().GetBucket() {
				h.bounds, h.upTo = append(h.bounds, bucket.GetUpperBound()), append(h.upTo, bucket.GetCumulativeCount())
			}
		}
	}
	return h
}

// quantile is the bound of the bucket that has it, of what came after an earlier look.
func (h histogram) quantile(before histogram, q float64) float64 {
	for i, bound := range h.bounds {
		earlier := uint64(0)
		if i < len(before.upTo) {
			earlier = before.upTo[i]
		}
		if float64(h.upTo[i]-earlier) >= q*float64(h.count-before.count) {
			return bound
		}
	}
	return math.Inf(1)
}
