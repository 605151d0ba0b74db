package cluster

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os/exec"
	"strings"
	"text/template"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/hack/localcluster/internal/binaries"
	"github.com/kvbench/kvbench/hack/localcluster/internal/images"
	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
	"github.com/kvbench/kvbench/hack/localcluster/internal/process"
	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
	"github.com/kvbench/kvbench/hack/localcluster/internal/provisioner"
)

//go:embed addons.yaml
var addonsTemplate string

// renderAddons fills in the manifests of DNS and storage.
func renderAddons(dnsVersion string) (string, error) {
	t, err := template.New("addons").Parse(addonsTemplate)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.Execute(&out, map[string]string{
		"DNSImage":    images.CoreDNSRepository + ":" + dnsVersion,
		"DNSAddress":  layout.DNSServiceAddress,
		"Domain":      layout.ClusterDomain,
		"Provisioner": provisioner.Name,
	})
	return out.String(), err
}

// installAddons applies them.
func (u *Up) installAddons(ctx context.Context, r *Record) error {
	manifests, err := renderAddons(u.built[binaries.CoreDNS.Name].Version)
	if err != nil {
		return err
	}
	return u.Report.Step("installing DNS and the storage class", func(func(string)) error {
		cmd := exec.CommandContext(ctx, r.Programs["kubectl"], "--kubeconfig="+u.Paths.Kubeconfig(), "apply", "--server-side", "-f", "-")
		cmd.Stdin = strings.NewReader(manifests)
		var problems bytes.Buffer
		cmd.Stderr = &problems
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("kubectl apply: %w: %s", err, strings.TrimSpace(problems.String()))
		}
		return nil
	})
}

// waitReady returns when every node is Ready and DNS answers.
func (u *Up) waitReady(ctx context.Context, r *Record) error {
	client, err := Client(u.Paths)
	if err != nil {
		return err
	}
	check := func(ctx context.Context) (string, error) {
		for _, name := range r.Expected(u.Paths) {
			if reason := process.Dead(u.Paths, name); reason != "" {
				return "", fmt.Errorf("%s", reason)
			}
		}
		nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return err.Error(), nil
		}
		ready := 0
		for i := range nodes.Items {
			if nodeReady(&nodes.Items[i]) {
				ready++
			}
		}
		if ready < r.Nodes {
			return fmt.Sprintf("%d of %d nodes are ready", ready, r.Nodes), nil
		}
		dns, err := client.AppsV1().Deployments("kube-system").Get(ctx, "coredns", metav1.GetOptions{})
		if err != nil {
			return err.Error(), nil
		}
		if dns.Status.ReadyReplicas < *dns.Spec.Replicas {
			return fmt.Sprintf("%d of %d DNS pods are ready", dns.Status.ReadyReplicas, *dns.Spec.Replicas), nil
		}
		return "", nil
	}
	if missing, err := check(ctx); err == nil && missing == "" {
		return nil
	}
	return u.Report.Step("waiting for nodes and DNS", func(detail func(string)) error {
		return progress.Wait(ctx, 3*time.Minute, 250*time.Millisecond, detail, check)
	})
}
