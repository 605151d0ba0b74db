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

// monitor is what decides which pods the Prometheus operator has scraped, and where: a PodMonitor
// selects pods, a ServiceMonitor the Services in front of them.
type monitor struct {
	Kind              string `json:"kind"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		NamespaceSelector              struct{ Any bool }
		Selector                       metav1.LabelSelector
		PodTargetLabels                []string
		PodMetricsEndpoints, Endpoints []struct {
			Port                           string
			Interval, ScrapeTimeout        v1alpha1.Duration
			Relabelings, MetricRelabelings []map[string]any
		}
	}
}

// chartMonitors are an error to the operator's definitions, or a part of the API server from here
// on.
func chartMonitors(ctx context.Context) []monitor {
	GinkgoHelper()
	var monitors []monitor
	for _, object := range chartObjects(monitoringValues(), "PodMonitor", "ServiceMonitor") {
		Expect(k8sClient.Create(ctx, object, client.FieldValidation(metav1.FieldValidationStrict))).To(Succeed(), object.GetName())
		DeferCleanup(func(ctx context.Context) { Expect(k8sClient.Delete(ctx, object)).To(Succeed()) })
		Expect(object.GetLabels()).To(HaveKeyWithValue("release", "prometheus"))
		text, err := object.MarshalJSON()
		Expect(err).NotTo(HaveOccurred())
		var one monitor
		Expect(json.Unmarshal(text, &one)).To(Succeed())
		monitors = append(monitors, one)
	}
	return monitors
}

// monitoringValues are those with everything in them that the chart takes for Prometheus.
func monitoringValues() map[string]any {
	drop := []any{map[string]any{"action": "labeldrop", "regex": "instance"}}
	endpoint := func(interval string) map[string]any {
		return map[string]any{"interval": interval, "relabelings": drop, "metricRelabelings": drop}
	}
	stores := endpoint("10s")
	stores["enabled"] = true
	return map[string]any{"metrics": map[string]any{
		"monitors": "always", "monitorLabels": map[string]any{"release": "prometheus"}, "nativeHistograms": true,
		"operator": endpoint("15s"), "runs": endpoint("2s"), "stores": stores,
	}}
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
		Paths:              []string{definitions + "podmonitors.yaml", definitions + "servicemonitors.yaml", definitions + "prometheusrules.yaml"},
		ErrorIfPathMissing: true,
	}
	_, err = envtest.InstallCRDs(restConfig, options)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(envtest.UninstallCRDs(restConfig, options)).To(Succeed()) })
}

var _ = Describe("The chart's monitors", Ordered, Label("monitors"), func() {
	var s *stage
	var monitors []monitor

	BeforeAll(func(ctx context.Context) {
		s = newStage()
		installMonitoring(ctx)
		monitors = chartMonitors(ctx)
		Expect(monitors).To(HaveLen(3))
	})

	It("are refused by the operator's definitions when a field is not theirs", func(ctx context.Context) {
		object := chartObjects(map[string]any{"metrics": map[string]any{"monitors": "always"}}, "PodMonitor")[0]
		object.SetName("wrong")
		Expect(unstructured.SetNestedField(object.Object, "5s", "spec", "interval")).To(Succeed())
		Expect(k8sClient.Create(ctx, object, client.FieldValidation(metav1.FieldValidationStrict))).
			To(MatchError(ContainSubstring(`unknown field "spec.interval"`)))
	})

	// As the operator does: the endpoints of a PodMonitor are the ports of that name, of the pods
	// that its selector takes in its own namespace, or in any; those of a ServiceMonitor are what
	// the ports of that name lead to, of the Services that its selector takes.
	It("have every pod with metrics scraped, and once", func(ctx context.Context) {
		s.sim.holdJobs.add("worker")
		DeferCleanup(func() { s.sim.holdJobs.remove("worker") })
		for _, object := range chartObjects(map[string]any{"metrics": map[string]any{"monitors": "always"}}, "Deployment", "StatefulSet", "Service") {
			apply(ctx, object)
			DeferCleanup(func(ctx context.Context) { Expect(k8sClient.Delete(ctx, object)).To(Succeed()) })
		}
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { spec.Load.Workers = ptr.To[int32](2) })
		DeferCleanup(s.remove, run)

		want := []string{"controller", "observer", "results", "store", "store", "store", "worker", "worker"}
		Eventually(func(g Gomega) {
			pods, services := &corev1.PodList{}, &corev1.ServiceList{}
			g.Expect(k8sClient.List(ctx, pods)).To(Succeed())
			g.Expect(k8sClient.List(ctx, services)).To(Succeed())
			var scraped []string
			for _, one := range monitors {
				scraped = append(scraped, one.scrapesPods(g, pods.Items)...)
				scraped = append(scraped, one.scrapesServices(g, services.Items, pods.Items)...)
			}
			slices.Sort(scraped)
			g.Expect(scraped).To(Equal(want))
		}, time.Minute, 100*time.Millisecond).Should(Succeed())
	})

	It("ask as often as the chart's values say, and relabel what they say", func() {
		intervals := map[string]time.Duration{}
		for _, one := range monitors {
			for _, endpoint := range slices.Concat(one.Spec.PodMetricsEndpoints, one.Spec.Endpoints) {
				intervals[one.Name] = endpoint.Interval.Or(0)
				Expect(endpoint.Relabelings).To(HaveLen(1), one.Name)
				Expect(endpoint.MetricRelabelings).To(HaveLen(1), one.Name)
			}
		}
		Expect(intervals).To(Equal(map[string]time.Duration{"kvbench": 15 * time.Second, "kvbench-runs": 2 * time.Second, "kvbench-stores": 10 * time.Second}))
	})

	It("are without the stores unless somebody asks for that", func() {
		Expect(chartObjects(map[string]any{"metrics": map[string]any{"monitors": "always"}}, "PodMonitor")).To(HaveLen(1))
	})

	It("don't wait for an answer longer than until the next question, which the operator refuses", func() {
		for _, one := range monitors {
			for _, endpoint := range slices.Concat(one.Spec.PodMetricsEndpoints, one.Spec.Endpoints) {
				Expect(endpoint.ScrapeTimeout.Or(0)).To(BeNumerically("<=", endpoint.Interval.Or(0)), one.Name)
			}
		}
	})
})

// takes is whether the monitor selects the object.
func (m *monitor) takes(g Gomega, object client.Object) bool {
	selector, err := metav1.LabelSelectorAsSelector(&m.Spec.Selector)
	g.Expect(err).NotTo(HaveOccurred())
	return (m.Spec.NamespaceSelector.Any || object.GetNamespace() == m.Namespace) && selector.Matches(labels.Set(object.GetLabels()))
}

// scrapesPods is who is scraped for a PodMonitor, once for each endpoint.
func (m *monitor) scrapesPods(g Gomega, pods []corev1.Pod) (who []string) {
	for i := range pods {
		pod := &pods[i]
		if m.Kind != "PodMonitor" || !m.takes(g, pod) {
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

// scrapesServices is who is scraped for a ServiceMonitor, once for each endpoint.
func (m *monitor) scrapesServices(g Gomega, services []corev1.Service, pods []corev1.Pod) (who []string) {
	for i := range services {
		service := &services[i]
		if m.Kind != "ServiceMonitor" || !m.takes(g, service) {
			continue
		}
		for _, endpoint := range m.Spec.Endpoints {
			at := slices.IndexFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Name == endpoint.Port })
			g.Expect(at).To(BeNumerically(">=", 0), "%s has no port %s", service.Name, endpoint.Port)
			for j := range pods {
				pod := &pods[j]
				if pod.Namespace == service.Namespace && labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(pod.Labels)) {
					g.Expect(portsOf(pod)).To(HaveKey(service.Spec.Ports[at].TargetPort.StrVal), pod.Name)
					who = append(who, whoIs(pod))
				}
			}
		}
	}
	return who
}
