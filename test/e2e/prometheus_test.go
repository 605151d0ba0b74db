//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// prometheus is a server in the cluster, asked through the API server. Its namespace and its pod
// are its own.
type prometheus struct{ namespace, pod string }

// sample is one series' value at one time.
type sample struct {
	Labels map[string]string
	Value  string
}

func (p prometheus) get(ctx context.Context, path string, parameters map[string]string, into any) error {
	body, err := clients.CoreV1().Pods(p.namespace).ProxyGet("http", p.pod, "9090", path, parameters).DoRaw(ctx)
	if err != nil {
		return fmt.Errorf("asking Prometheus for %s: %w: %s", path, err, body)
	}
	return json.Unmarshal(body, into)
}

func (p prometheus) query(ctx context.Context, expression string) ([]sample, error) {
	var answer struct {
		Data struct {
			Result []struct {
				Metric map[string]string
				Value  [2]any
			}
		}
	}
	if err := p.get(ctx, "api/v1/query", map[string]string{"query": expression}, &answer); err != nil {
		return nil, err
	}
	var samples []sample
	for _, r := range answer.Data.Result {
		samples = append(samples, sample{Labels: r.Metric, Value: fmt.Sprint(r.Value[1])})
	}
	return samples, nil
}

// queryRange answers for each second of a time, as Grafana asks for a graph.
func (p prometheus) queryRange(ctx context.Context, expression string, from, to time.Time) ([]rangeOf, error) {
	var answer struct{ Data struct{ Result []rangeOf } }
	err := p.get(ctx, "api/v1/query_range", map[string]string{
		"query": expression, "start": fmt.Sprint(from.Unix()), "end": fmt.Sprint(to.Unix()), "step": "1",
	}, &answer)
	return answer.Data.Result, err
}

// rangeOf is one series over a time.
type rangeOf struct {
	Values     [][2]any // instant and value
	Histograms [][2]any // of a native histogram
}

// tells is whether it has any figure at all.
func (r rangeOf) tells() bool {
	return len(r.Histograms) > 0 || slices.ContainsFunc(r.Values, func(v [2]any) bool { return v[1] != "NaN" })
}

// labelValues answers Grafana's label_values(metric, label).
func (p prometheus) labelValues(ctx context.Context, variable string) ([]string, error) {
	inner := strings.TrimSuffix(strings.TrimPrefix(variable, "label_values("), ")")
	metric, label, ok := strings.Cut(inner, ", ")
	if !ok {
		return nil, fmt.Errorf("%q is no label_values(metric, label)", variable)
	}
	var answer struct{ Data []string }
	err := p.get(ctx, "api/v1/label/"+label+"/values", map[string]string{"match[]": metric}, &answer)
	return answer.Data, err
}

// prometheusImage is the one that the local cluster has built; another cluster pulls it.
const prometheusImage = "quay.io/prometheus/prometheus:v3.16.0"

// deployPrometheus runs one with the configuration that config/ has for it, until the spec is
// over. It doesn't wait for it.
func deployPrometheus(ctx context.Context) (deployed *appsv1.Deployment) {
	GinkgoHelper()
	configuration, err := os.ReadFile(filepath.Join(root, "config", "prometheus", "prometheus.yaml"))
	Expect(err).NotTo(HaveOccurred())
	name := "e2e-prometheus-" + rand.String(5)
	meta := metav1.ObjectMeta{Namespace: name, Name: name}
	labels := map[string]string{"app": name}
	deployment := &appsv1.Deployment{ObjectMeta: meta}
	deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	deployment.Spec.Template.Labels = labels
	deployment.Spec.Template.Spec = corev1.PodSpec{
		ServiceAccountName: name,
		SecurityContext:    &corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To[int64](65534)},
		Containers: []corev1.Container{{
			Name: "prometheus", Image: prometheusImage, ImagePullPolicy: corev1.PullIfNotPresent,
			Args: []string{"--config.file=/etc/prometheus/prometheus.yaml", "--storage.tsdb.path=/data"},
			ReadinessProbe: &corev1.Probe{PeriodSeconds: 1, ProbeHandler: corev1.ProbeHandler{
				HTTPGet: &corev1.HTTPGetAction{Path: "/-/ready", Port: intstr.FromInt32(9090)},
			}},
			VolumeMounts: []corev1.VolumeMount{{Name: "configuration", MountPath: "/etc/prometheus"}, {Name: "data", MountPath: "/data"}},
		}},
		Volumes: []corev1.Volume{
			{Name: "configuration", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: name}}}},
			{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		},
	}
	for _, object := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}},
		&corev1.ServiceAccount{ObjectMeta: meta},
		&rbacv1.ClusterRole{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "list", "watch"}}},
		},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: name, Name: name}},
		},
		&corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{"prometheus.yaml": string(configuration)}},
		deployment,
	} {
		Expect(k8s.Create(ctx, object)).To(Succeed())
		if object.GetNamespace() == "" {
			DeferCleanup(func(ctx SpecContext) { Expect(k8s.Delete(ctx, object)).To(Succeed()) })
		}
	}
	return deployment
}

// awaitPrometheus waits until a server that was deployed is ready.
func awaitPrometheus(ctx context.Context, deployed *appsv1.Deployment) prometheus {
	GinkgoHelper()
	pods := &corev1.PodList{}
	Eventually(func(g Gomega) {
		g.Expect(k8s.List(ctx, pods, client.InNamespace(deployed.Namespace), client.MatchingLabels(deployed.Spec.Selector.MatchLabels))).To(Succeed())
		g.Expect(pods.Items).To(HaveLen(1))
		g.Expect(pods.Items[0].Status.ContainerStatuses).NotTo(BeEmpty())
		g.Expect(pods.Items[0].Status.ContainerStatuses[0].Ready).To(BeTrue(), "%s", state(pods.Items[0].Status.ContainerStatuses[0].State))
	}).WithContext(ctx).WithTimeout(2 * time.Minute).Should(Succeed())
	return prometheus{namespace: deployed.Namespace, pod: pods.Items[0].Name}
}
