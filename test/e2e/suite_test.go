//go:build e2e

// Package e2e tests kvbench on a real cluster, as `make cluster` leaves it: with Chaos
// Mesh and the operator's chart. It does real runs, one after the other.
package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

const (
	// namespace of the runs: the chart sets up a deployer there.
	namespace       = "default"
	systemNamespace = "kvbench-system"
)

// What the specs share: connections, and programs.
var (
	config  *rest.Config
	k8s     client.Client
	clients kubernetes.Interface

	root       string // of the checkout
	kubeconfig string
	kubectl    string
	loadgen    string
)

func TestE2E(t *testing.T) {
	RegisterFailHandler(Fail)
	SetDefaultEventuallyPollingInterval(200 * time.Millisecond)
	RunSpecs(t, "End to end")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	root, err = filepath.Abs("../..")
	Expect(err).NotTo(HaveOccurred())

	kubeconfig = os.Getenv("KUBECONFIG")
	if kubeconfig == "" {
		kubeconfig = filepath.Join(root, "_output", "kubeconfig")
	}
	config, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
	Expect(err).NotTo(HaveOccurred(), "no cluster: run make cluster, or set KUBECONFIG")
	config.QPS, config.Burst = 100, 200
	scheme := runtime.NewScheme()
	Expect(clientgoscheme.AddToScheme(scheme)).To(Succeed())
	Expect(v1alpha1.AddToScheme(scheme)).To(Succeed())
	k8s, err = client.New(config, client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())
	clients, err = kubernetes.NewForConfig(config)
	Expect(err).NotTo(HaveOccurred())

	controller := &appsv1.Deployment{}
	Expect(k8s.Get(ctx, client.ObjectKey{Namespace: systemNamespace, Name: "kvbench-controller"}, controller)).
		To(Succeed(), "kvbench isn't installed: run make cluster")
	Expect(controller.Status.AvailableReplicas).To(BeNumerically(">", 0), "the controller isn't available")

	expectNoRuns(ctx)
	kubectl = findKubectl(ctx)
	loadgen = filepath.Join(root, "bin", "kvbench-loadgen")
	Expect(loadgen).To(BeAnExistingFile(), "run make build")
}, NodeTimeout(5*time.Minute))

// findKubectl takes KUBECTL, the PATH's, or the one that the local cluster was built with.
func findKubectl(ctx context.Context) string {
	if named := os.Getenv("KUBECTL"); named != "" {
		return named
	}
	if found, err := exec.LookPath("kubectl"); err == nil {
		return found
	}
	out, err := exec.CommandContext(ctx, filepath.Join(root, "_output", "bin", "localcluster"), "bin-dir", "kubernetes").Output()
	Expect(err).NotTo(HaveOccurred(), "no kubectl: put one on the PATH, or name it in KUBECTL")
	return filepath.Join(strings.TrimSpace(string(out)), "kubectl")
}

// expectNoRuns refuses a cluster that somebody is measuring on: runs wait for each other,
// and a spec takes Chaos Mesh's daemons away.
func expectNoRuns(ctx context.Context) {
	GinkgoHelper()
	runs := &v1alpha1.BenchmarkRunList{}
	Expect(k8s.List(ctx, runs)).To(Succeed())
	for i := range runs.Items {
		run := &runs.Items[i]
		Expect(holds(run, v1alpha1.ConditionComplete) || holds(run, v1alpha1.ConditionFailed)).
			To(BeTrue(), "the run %s/%s is under way: wait for its end, or delete it", run.Namespace, run.Name)
	}
}
