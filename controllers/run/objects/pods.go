package objects

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/internal/plan"
)

const caFile = "ca.crt"

// Plan is the ConfigMap that the run's pods read: the plan, and the CA of the results server.
func Plan(run *v1alpha1.BenchmarkRun, planJSON, ca []byte) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: names.ObjectMeta(run, names.PlanName(names.RunID(run)), names.RolePlan),
		Immutable:  ptr.To(true),
		Data:       map[string]string{plan.FileName: string(planJSON), caFile: string(ca)},
	}
}

// Observer is the Deployment of the run's observer.
func (r *Maker) Observer(run *v1alpha1.BenchmarkRun, p *plan.Plan) *appsv1.Deployment {
	deployment := &appsv1.Deployment{ObjectMeta: names.ObjectMeta(run, plan.ObserverName(p.Run.ID), names.RoleObserver)}
	deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: names.RunLabels(run, names.RoleObserver)}
	deployment.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
	deployment.Spec.Template = r.podTemplate(run, p, names.RoleObserver, "observe", "--listen", ":8080")
	container := &deployment.Spec.Template.Spec.Containers[0]
	container.Ports = []corev1.ContainerPort{{Name: "metrics", ContainerPort: 8080}}
	container.ReadinessProbe = probe("/readyz")
	scrape(&deployment.Spec.Template)
	return deployment
}

func scrape(template *corev1.PodTemplateSpec) {
	template.Annotations["prometheus.io/scrape"] = "true"
	template.Annotations["prometheus.io/port"] = "8080"
	template.Annotations["prometheus.io/path"] = "/metrics"
}

// leaveAlone asks the autoscalers not to move a pod to save a node: a measurement that loses
// one is lost. The stores' charts ask the same.
func leaveAlone() map[string]string {
	return map[string]string{
		"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
		"karpenter.sh/do-not-disrupt":                    "true",
	}
}

// tokenSeconds is the life of a worker's token, which the kubelet renews when four fifths of
// it are over by its node's clock. It is long enough that a clock which is an hour behind
// is still in time.
const tokenSeconds = 6 * 3600

func probe(path string) *corev1.Probe {
	probe := &corev1.Probe{PeriodSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 1}
	probe.HTTPGet = &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("metrics")}
	return probe
}

// podTemplate is a pod of the load generator's image: no rights at the API server, and a
// token for the results server alone.
func (r *Maker) podTemplate(run *v1alpha1.BenchmarkRun, p *plan.Plan, role, command string, args ...string) corev1.PodTemplateSpec {
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: names.RunLabels(run, role), Annotations: leaveAlone()}}
	spec := &template.Spec
	spec.AutomountServiceAccountToken = ptr.To(false)
	spec.EnableServiceLinks = ptr.To(false)
	spec.ImagePullSecrets = pullSecrets(run, r.Config.PullSecrets)
	spec.TerminationGracePeriodSeconds = seconds(plan.TerminationGrace)
	spec.Tolerations = deadNodes()
	spec.SecurityContext = &corev1.PodSecurityContext{
		RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To[int64](65532), RunAsGroup: ptr.To[int64](65532), FSGroup: ptr.To[int64](65532),
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	spec.Containers = []corev1.Container{{
		Name:    "loadgen",
		Image:   r.Config.LoadgenImage,
		Command: append([]string{"/kvbench-loadgen", "pod", command}, append(commonArgs(r.Config.ResultsURL), args...)...),
		Env: []corev1.EnvVar{{Name: "POD_UID", ValueFrom: &corev1.EnvVarSource{
			FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.uid"}}}},
		// A worker has some 30 MiB in use, and as much garbage again where it is collected seldom.
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("50m"), corev1.ResourceMemory: resource.MustParse("96Mi"),
		}},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(true),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts: []corev1.VolumeMount{
			{Name: "plan", MountPath: "/etc/kvbench", ReadOnly: true},
			{Name: "token", MountPath: "/var/run/secrets/kvbench", ReadOnly: true},
			{Name: "data", MountPath: "/data"},
		},
	}}
	spec.Volumes = []corev1.Volume{
		{Name: "plan", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: names.PlanName(p.Run.ID)}}}},
		{Name: "token", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{{
			ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Audience: "kvbench", Path: "token", ExpirationSeconds: ptr.To[int64](tokenSeconds)}}}}}},
		{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
	}
	giveCredentials(spec, p)
	scheduleWorkers(spec, run, p.Placement, role)
	return template
}

// deadNodes shortens what a pod on a node that doesn't answer has by default, 5 minutes: a
// worker there is lost, and whoever waits for the run should know soon.
func deadNodes() []corev1.Toleration {
	var tolerations []corev1.Toleration
	for _, key := range []string{corev1.TaintNodeUnreachable, corev1.TaintNodeNotReady} {
		tolerations = append(tolerations, corev1.Toleration{
			Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](60),
		})
	}
	return tolerations
}

func commonArgs(resultsURL string) []string {
	return []string{
		"--plan", "/etc/kvbench/" + plan.FileName, "--results", resultsURL, "--results-ca", "/etc/kvbench/" + caFile,
		"--token", "/var/run/secrets/kvbench/token", "--data", "/data",
	}
}

func seconds(d time.Duration) *int64 { return ptr.To(int64(d / time.Second)) }
