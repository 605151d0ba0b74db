//go:build e2e

// Package bench measures kvbench itself on a real cluster, as `make cluster` leaves it:
// what a run costs beside the bare Helm install, and what its programs cost at rest and
// under load. `make bench-cluster` runs it; nothing else may run on the cluster meanwhile.
package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/yaml"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

const (
	namespace       = "default"
	systemNamespace = "kvbench-system"
)

// cluster is a connection to it.
type cluster struct {
	client.Client
	config  *rest.Config
	clients kubernetes.Interface
}

func connect(b *testing.B) *cluster {
	b.Helper()
	log.SetLogger(logr.Discard())
	kubeconfig := os.Getenv("KUBECONFIG")
	if kubeconfig == "" {
		kubeconfig = filepath.Join("..", "..", "_output", "kubeconfig")
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		b.Fatalf("no cluster: run make cluster, or set KUBECONFIG: %v", err)
	}
	config.QPS, config.Burst = 100, 200
	scheme := runtime.NewScheme()
	must(b, clientgoscheme.AddToScheme(scheme))
	must(b, v1alpha1.AddToScheme(scheme))
	c := &cluster{config: config}
	c.Client, err = client.New(config, client.Options{Scheme: scheme})
	must(b, err)
	c.clients, err = kubernetes.NewForConfig(config)
	must(b, err)
	return c
}

// sample is the demo's run under another name.
func sample(b *testing.B, name string) *v1alpha1.BenchmarkRun {
	b.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "config", "samples", "etcd-leader-kill.yaml"))
	must(b, err)
	run := &v1alpha1.BenchmarkRun{}
	must(b, yaml.UnmarshalStrict(content, run))
	run.Namespace, run.Name = namespace, name
	return run
}

// scrape reads the metrics of the one pod with these labels: the sum of each name's values.
func (c *cluster) scrape(b *testing.B, in string, labels client.MatchingLabels) map[string]float64 {
	b.Helper()
	pods := &corev1.PodList{}
	must(b, c.List(b.Context(), pods, client.InNamespace(in), labels))
	if len(pods.Items) != 1 {
		b.Fatalf("%d pods in %s have %v", len(pods.Items), in, labels)
	}
	text, err := c.clients.CoreV1().Pods(in).ProxyGet("http", pods.Items[0].Name, "8080", "/metrics", nil).DoRaw(b.Context())
	must(b, err)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	must(b, err)
	sums := map[string]float64{}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			sums[name] += m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return sums
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func unique(stem string, i int) string { return fmt.Sprintf("bench-%s-%d-%d", stem, os.Getpid(), i) }
