package integration

import (
	"context"
	"os"
	"regexp"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

var _ = Describe("The policy in docs/reference/security.md", Label("tenant"), func() {
	It("binds runs to the chart's service account, where it applies", func(ctx context.Context) {
		page, err := os.ReadFile(fromRoot("docs", "reference", "security.md"))
		Expect(err).NotTo(HaveOccurred())
		block := yamlBlock.FindSubmatch(page)
		Expect(block).To(HaveLen(2))
		for _, object := range documents(string(block[1])) {
			Expect(k8sClient.Create(ctx, object)).To(Succeed())
			DeferCleanup(func(ctx context.Context) { Expect(k8sClient.Delete(ctx, object)).To(Succeed()) })
		}
		tenant, other := newNamespace(ctx, "tenant"), newNamespace(ctx, "other")
		namespace := &corev1.Namespace{}
		Expect(k8sClient.Get(ctx, client.ObjectKey{Name: tenant}, namespace)).To(Succeed())
		namespace.Labels["kvbench.io/tenant"] = "true"
		Expect(k8sClient.Update(ctx, namespace)).To(Succeed())

		try := func(namespace, fragment string) error {
			run := withSpec(fragment)
			run.SetNamespace(namespace)
			return k8sClient.Create(ctx, run, client.DryRunAll)
		}
		// The API server learns of a policy a moment later.
		Eventually(func() error { return try(tenant, `serviceAccountName: powerful`) }, time.Minute).
			Should(MatchError(ContainSubstring("runs here deploy as kvbench-deployer")))
		Expect(try(tenant, `serviceAccountName: kvbench-deployer`)).To(Succeed())
		Expect(try(tenant, `{}`)).To(Succeed())
		Expect(try(other, `serviceAccountName: powerful`)).To(Succeed())
	})
})
