//go:build e2e

package e2e

import (
	"maps"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/kube"
	releasev1 "helm.sh/helm/v4/pkg/release/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("An upgrade of kvbench", Label("upgrade", "robustness"), func() {
	It("doesn't disturb the measurement under way", func(ctx SpecContext) {
		run := newRun("upgrade", openLoop, killLeader, seconds(50))
		run.Spec.Faults[0].At = "30s"
		apply(ctx, run)
		start := awaitStart(ctx, run)
		controller, results := onePod(ctx, systemNamespace, controllerPods), onePod(ctx, systemNamespace, resultsPods)
		until(ctx, start, 10*time.Second)
		upgrade(map[string]any{"requests": map[string]any{"cpu": "21m", "memory": "64Mi"}, "limits": map[string]any{"memory": "300Mi"}})

		awaitEnd(ctx, run, endTimeout)
		Expect(onePod(ctx, systemNamespace, controllerPods).UID).NotTo(Equal(controller.UID), "the controller was not replaced")
		Expect(onePod(ctx, systemNamespace, resultsPods).UID).NotTo(Equal(results.UID), "the results server was not replaced")
		expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		expectNothingLeft(ctx, run)
		found := readReport(ctx, run)
		expectSound(found)
		expectEverySecond(found, 50)
		Expect(found.Faults[0].Effective).To(BeTrue())
	}, SpecTimeout(8*time.Minute))
})

// upgrade rolls both programs out anew, with other resources, and takes that back when the
// spec is over.
func upgrade(resources map[string]any) {
	GinkgoHelper()
	flags := genericclioptions.NewConfigFlags(false)
	in := systemNamespace
	flags.KubeConfig, flags.Namespace = &kubeconfig, &in
	config := action.NewConfiguration()
	Expect(config.Init(flags, systemNamespace, "secret")).To(Succeed())
	found, err := config.Releases.Last("kvbench")
	Expect(err).NotTo(HaveOccurred())
	last := found.(*releasev1.Release)
	chart, err := loader.Load(filepath.Join(root, "charts", "kvbench"))
	Expect(err).NotTo(HaveOccurred())
	labels := maps.Clone(last.Labels)
	// Helm's own have no prefix, and are refused.
	maps.DeleteFunc(labels, func(name, _ string) bool { return !strings.Contains(name, "/") })
	to := func(values map[string]any) {
		do := action.NewUpgrade(config)
		do.Namespace, do.ResetValues, do.MaxHistory, do.Labels = systemNamespace, true, 3, labels
		do.ServerSideApply, do.ForceConflicts = "true", true
		do.WaitStrategy, do.Timeout = kube.StatusWatcherStrategy, time.Minute
		_, err := do.Run("kvbench", chart, values)
		Expect(err).NotTo(HaveOccurred())
	}
	values := maps.Clone(last.Config)
	values["controller"], values["results"] = map[string]any{"resources": resources}, map[string]any{"resources": resources}
	DeferCleanup(func() { to(last.Config) })
	to(values)
}
