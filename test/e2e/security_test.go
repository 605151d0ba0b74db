//go:build e2e

package e2e

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/credentials"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/ignite"
)

var _ = Describe("A store that asks its clients who they are, with a member killed under load", Label("stores", "security"), func() {
	for _, c := range []struct {
		store, mode string // "" is its default
		level       v1alpha1.Security
		role        string // of the member
	}{
		{"etcd", "", v1alpha1.SecurityAuth, plan.RoleLeader},
		{"postgresql", "", v1alpha1.SecurityTLS, plan.RoleLeader},
		{"postgresql", "", v1alpha1.SecurityAuth, plan.RoleLeader},
		{"memcached", "", v1alpha1.SecurityTLS, plan.RoleAny},
		{"redis", "", v1alpha1.SecurityTLS, plan.RoleLeader},
		{"cassandra", "", v1alpha1.SecurityTLS, plan.RoleAny},
		{"ignite", "", v1alpha1.SecurityTLS, plan.RoleAny},
		{"ignite", ignite.ModeAtomicPersistent, v1alpha1.SecurityAuth, plan.RoleAny},
	} {
		It(fmt.Sprintf("serves its run, and leaves no secret: %s with %s", c.store, c.level), func(ctx SpecContext) {
			run := newRun(c.store, openLoop, killLeader, seconds(30), func(r *v1alpha1.BenchmarkRun) {
				r.Spec.Store.Name, r.Spec.Store.Mode, r.Spec.Store.Security = c.store, c.mode, c.level
				r.Spec.Faults[0].Target.Role = c.role
				if ofJava[c.store] {
					gentle(r)
				}
			})
			apply(ctx, run)
			secret := secretOf(ctx, run)
			await(ctx, run, faultInjected)
			logs := readLogs(ctx, run)
			found := readEnd(ctx, run)
			if !ofJava[c.store] {
				Expect(found.Faults[0].Effective).To(BeTrue())
				Expect(found.Faults[0].OutageCensored).To(BeFalse())
			}
			expectSecure(ctx, run, found, secret, logs)
		}, SpecTimeout(measureTimeout))
	}
})

// secretOf waits for the run's Secret, and returns what is in it and isn't public.
func secretOf(ctx context.Context, run *v1alpha1.BenchmarkRun) map[string]string {
	GinkgoHelper()
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: run.Namespace, Name: compile.SecretName(compile.RunID(run.Name, string(run.UID)))}
	Eventually(func() error { return k8s.Get(ctx, key, secret) }).WithContext(ctx).WithTimeout(endTimeout).Should(Succeed())
	contents := map[string]string{}
	for name, content := range secret.Data {
		if name == stores.FilePassword || name == credentials.FileTokenKey || strings.HasSuffix(name, ".key") {
			contents[name] = telling(string(content))
			contents[name+" in base64"] = base64.StdEncoding.EncodeToString(content)
		}
	}
	Expect(contents).To(HaveKey(stores.FilePassword))
	return contents
}

// telling is what tells of a content: of PEM one line, since JSON has no real ends of lines.
func telling(content string) string {
	lines := strings.Split(strings.TrimSpace(content), "\n")
	return lines[len(lines)/2]
}

// readLogs reads those of all pods. Workers have logs while they measure; afterwards their pods are gone.
func readLogs(ctx context.Context, run *v1alpha1.BenchmarkRun) map[string]string {
	GinkgoHelper()
	logs := map[string]string{}
	for _, namespace := range []string{run.Namespace, systemNamespace} {
		pods := &corev1.PodList{}
		Expect(k8s.List(ctx, pods, client.InNamespace(namespace))).To(Succeed())
		for i := range pods.Items {
			pod := &pods.Items[i]
			for _, container := range pod.Spec.Containers {
				stream, err := clients.CoreV1().Pods(namespace).GetLogs(pod.Name, &corev1.PodLogOptions{Container: container.Name}).Stream(ctx)
				if err != nil {
					continue // the member's container is being started
				}
				text, err := io.ReadAll(stream)
				stream.Close()
				Expect(err).NotTo(HaveOccurred())
				logs[namespace+"/"+pod.Name+"/"+container.Name] = string(text)
			}
		}
	}
	Expect(len(logs)).To(BeNumerically(">=", 6), "members, workers, the observer, the controller")
	return logs
}

func expectSecure(ctx context.Context, run *v1alpha1.BenchmarkRun, found *report.Report, secret, logs map[string]string) {
	GinkgoHelper()
	Expect(found.Store.Security).To(BeEquivalentTo(run.Spec.Store.Security))
	Expect(found.Workloads[0].Throughput).To(BeNumerically(">", 0))

	By("seeing the member gone, and back")
	Expect(found.Faults).To(HaveLen(1))
	fault := found.Faults[0]
	Expect(fault.Error).To(BeEmpty())
	Expect(fault.HealedAt).NotTo(BeNil())

	By("finding nothing of its Secret in what is left, or in what was said")
	texts := map[string]string{}
	maps.Copy(texts, logs)
	for _, file := range []string{"/bundle.tar", forward.Report, forward.Markdown} {
		texts[file] = string(download(ctx, openResults(ctx), run, file))
	}
	Expect(texts["/bundle.tar"]).To(ContainSubstring(compile.SecretName(compile.RunID(run.Name, string(run.UID)))), "the plan names the Secret")
	for where, text := range texts {
		for name, content := range secret {
			Expect(strings.Contains(text, content)).To(BeFalse(), "%s has %s", where, name)
		}
	}
	expectSchema(download(ctx, openResults(ctx), run, forward.Report))
}
