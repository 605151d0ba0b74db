package integration

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// podMonitor is what decides which pods the Prometheus operator has scraped, and where.
type podMonitor struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		NamespaceSelector   struct{ Any bool }
		Selector            metav1.LabelSelector
		PodTargetLabels     []string
		PodMetricsEndpoints []struct {
			Port                    string
			Interval, ScrapeTimeout v1alpha1.Duration
		}
	}
}

// podMonitors are the chart's. They are an error to the operator's definition, or a part of the
// API server from here on.
func podMonitors(ctx context.Context) []podMonitor {
	GinkgoHelper()
	var monitors []podMonitor
	values := map[string]any{"metrics": map[string]any{"monitors": "always", "monitorLabels": map[string]any{"release": "prometheus"}}}
	for _, object := range chartObjects(values, "PodMonitor", "ServiceMonitor") {
		Expect(k8sClient.Create(ctx, object, client.FieldValidation(metav1.FieldValidationStrict))).To(Succeed(), object.GetName())
		DeferCleanup(func(ctx context.Context) { Expect(k8sClient.Delete(ctx, object)).To(Succeed()) })
		Expect(object.GetLabels()).To(HaveKeyWithValue("release", "prometheus"))
		text, err := object.MarshalJSON()
		Expect(err).NotTo(HaveOccurred())
		var monitor podMonitor
		Expect(json.Unmarshal(text, &monitor)).To(Succeed())
		monitors = append(monitors, monitor)
	}
	return monitors
}

// installMonitoring installs the operator's own definitions, of the version that
// hack/tools/prometheus-operator pins.
func installMonitoring(ctx context.Context) {
	GinkgoHelper()
	const module = "github.com/prometheus-operator/prometheus-operator"
	download := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	download.Dir = fromRoot("hack", "tools", "prometheus-operator")
	answer, err := download.Output()
	Expect(err).NotTo(HaveOccurred(), "%s", answer)
	var downloaded struct{ Dir string }
	Expect(json.Unmarshal(answer, &downloaded)).To(Succeed())
	definitions := filepath.Join(downloaded.Dir, "example", "prometheus-operator-crd", "monitoring.coreos.com_")
	options := envtest.CRDInstallOptions{
		Paths:              []string{definitions + "podmonitors.yaml", definitions + "servicemonitors.yaml"},
		ErrorIfPathMissing: true,
	}
	_, err = envtest.InstallCRDs(restConfig, options)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(envtest.UninstallCRDs(restConfig, options)).To(Succeed()) })
}

var _ = Describe("The chart's PodMonitors", Ordered, Label("monitors"), func() {
	var s *stage
	var monitors []podMonitor

	BeforeAll(func(ctx context.Context) {
		s = newStage()
		installMonitoring(ctx)
		monitors = podMonitors(ctx)
		Expect(monitors).NotTo(BeEmpty())
	})

	It("are refused by the operator's definitions when a field is not theirs", func(ctx context.Context) {
		object := chartObjects(map[string]any{"metrics": map[string]any{"monitors": "always"}}, "PodMonitor")[0]
		object.SetName("wrong")
		Expect(unstructured.SetNestedField(object.Object, "5s", "spec", "interval")).To(Succeed())
		Expect(k8sClient.Create(ctx, object, client.FieldValidation(metav1.FieldValidationStrict))).
			To(MatchError(ContainSubstring(`unknown field "spec.interval"`)))
	})

	// As the operator does: the endpoints of a monitor are the ports of that name, of the pods that
	// its selector takes in its own namespace, or in any.
	It("have every pod with metrics scraped, and once", func(ctx context.Context) {
		s.sim.holdJobs.add("worker")
		DeferCleanup(func() { s.sim.holdJobs.remove("worker") })
		for _, object := range chartObjects(nil, "Deployment", "StatefulSet") {
			apply(ctx, object)
			DeferCleanup(func(ctx context.Context) { Expect(k8sClient.Delete(ctx, object)).To(Succeed()) })
		}
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { spec.Load.Workers = ptr.To[int32](2) })
		DeferCleanup(s.remove, run)

		want := []string{"controller", "observer", "results", "worker", "worker"}
		Eventually(func(g Gomega) {
			pods := &corev1.PodList{}
			g.Expect(k8sClient.List(ctx, pods)).To(Succeed())
			var scraped []string
			for _, monitor := range monitors {
				scraped = append(scraped, monitor.scrapes(g, pods.Items)...)
			}
			slices.Sort(scraped)
			g.Expect(scraped).To(Equal(want))
		}, time.Minute, 100*time.Millisecond).Should(Succeed())
	})

	It("don't wait for an answer longer than until the next question, which the operator refuses", func() {
		for _, monitor := range monitors {
			for _, endpoint := range monitor.Spec.PodMetricsEndpoints {
				Expect(endpoint.ScrapeTimeout.Or(0)).To(BeNumerically("<=", endpoint.Interval.Or(0)), monitor.Name)
			}
		}
	})
})

// scrapes is who is scraped for the monitor, once for each endpoint.
func (m *podMonitor) scrapes(g Gomega, pods []corev1.Pod) (who []string) {
	selector, err := metav1.LabelSelectorAsSelector(&m.Spec.Selector)
	g.Expect(err).NotTo(HaveOccurred())
	for i := range pods {
		pod := &pods[i]
		if !m.Spec.NamespaceSelector.Any && pod.Namespace != m.Namespace || !selector.Matches(labels.Set(pod.Labels)) {
			continue
		}
		for _, label := range m.Spec.PodTargetLabels {
			g.Expect(pod.Labels).To(HaveKey(label), pod.Name)
		}
		for _, endpoint := range m.Spec.PodMetricsEndpoints {
			g.Expect(portsOf(pod)).To(HaveKey(endpoint.Port), pod.Name)
			who = append(who, whoIs(pod))
		}
	}
	return who
}
