package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
	"github.com/kvbench/kvbench/hack/localcluster/internal/process"
)

// Names of the control plane's processes.
const (
	etcd              = "etcd"
	apiserver         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
	kubeProxy         = "kube-proxy"
	provisionerName   = "provisioner"
)

// Expected are the processes that a cluster should have.
func (r *Record) Expected(p layout.Paths) []string {
	names := []string{etcd, apiserver, controllerManager, scheduler, kubeProxy, provisionerName}
	for _, n := range p.Nodes(r.Nodes) {
		if !slices.Contains(r.Stopped, n.Name()) {
			names = append(names, n.Containerd(), n.Kubelet())
		}
	}
	return names
}

// Ailments says what is wrong with the cluster; nothing when it is sound.
func (r *Record) Ailments(ctx context.Context, p layout.Paths) []string {
	if !r.Complete {
		return []string{"its start was not finished"}
	}
	var found []string
	for _, name := range r.Expected(p) {
		if reason := process.Dead(p, name); reason != "" {
			found = append(found, reason)
		}
	}
	if len(found) > 0 {
		return found
	}
	client, err := Client(p)
	if err != nil {
		return []string{err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if missing, err := apiReady(ctx, client); err != nil || missing != "" {
		return []string{fmt.Sprintf("the API server isn't ready: %v %s", err, missing)}
	}
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return []string{"the API server doesn't list nodes: " + err.Error()}
	}
	if len(nodes.Items) < r.Nodes {
		found = append(found, fmt.Sprintf("%d of %d nodes are registered", len(nodes.Items), r.Nodes))
	}
	return found
}

// Client speaks to the cluster as its administrator.
func Client(p layout.Paths) (*kubernetes.Clientset, error) {
	config, err := clientcmd.BuildConfigFromFlags("", p.Kubeconfig())
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 50, 100
	return kubernetes.NewForConfig(config)
}

func apiReady(ctx context.Context, client kubernetes.Interface) (missing string, err error) {
	body, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
	if failed := failedChecks(string(body)); failed != "" {
		return failed, nil
	}
	if err != nil || string(body) != "ok" {
		return fmt.Sprintf("%s %v", body, err), nil
	}
	return "", nil
}

// failedChecks are those that the API server's page has with a minus; "" when there are none.
func failedChecks(page string) string {
	var failed []string
	for line := range strings.Lines(page) {
		if check, found := strings.CutPrefix(line, "[-]"); found {
			name, _, _ := strings.Cut(check, " ")
			failed = append(failed, strings.TrimSpace(name))
		}
	}
	switch n := len(failed); {
	case n == 0:
		return ""
	case n > 3:
		return fmt.Sprintf("%s and %d other checks fail", strings.Join(failed[:3], ", "), n-3)
	case n > 1:
		return strings.Join(failed, ", ") + " fail"
	}
	return failed[0] + " fails"
}

func nodeReady(n *corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
