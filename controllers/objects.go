package controllers

import (
	"maps"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
)

const caFile = "ca.crt"

func objectMeta(run *v1alpha1.BenchmarkRun, name, role string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: run.Namespace, Labels: runLabels(run, role), OwnerReferences: ownedBy(run),
	}
}

// ownedBy lets the garbage collector take what a lost controller left, should the run go
// without its teardown.
func ownedBy(run *v1alpha1.BenchmarkRun) []metav1.OwnerReference {
	return []metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("BenchmarkRun"))}
}

func planObject(run *v1alpha1.BenchmarkRun, planJSON, ca []byte) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: objectMeta(run, planName(runID(run)), rolePlan),
		Immutable:  ptr.To(true),
		Data:       map[string]string{plan.FileName: string(planJSON), caFile: string(ca)},
	}
}

// jobObject is the Job of a role for one workload.
func (r *Reconciler) jobObject(run *v1alpha1.BenchmarkRun, p *plan.Plan, w *plan.Workload, role string) *batchv1.Job {
	workers := int32(w.Load.Workers)
	job := &batchv1.Job{}
	job.Spec.Completions, job.Spec.Parallelism = &workers, &workers
	job.Spec.CompletionMode = ptr.To(batchv1.IndexedCompletion)
	switch role {
	case roleReset:
		job.ObjectMeta = objectMeta(run, resetName(p.Run.ID, w.Name), role)
		job.Spec.Completions, job.Spec.Parallelism = ptr.To[int32](1), ptr.To[int32](1)
		job.Spec.BackoffLimit = ptr.To[int32](3)
		job.Spec.ActiveDeadlineSeconds = seconds(loadDeadline(run))
		job.Spec.Template = r.podTemplate(run, p, role, "reset", "--workload", w.Name)
	case roleLoad:
		job.ObjectMeta = objectMeta(run, plan.LoadJobName(p.Run.ID, w.Name), role)
		// The same keys are written again: a loader may be repeated.
		job.Spec.BackoffLimit = ptr.To[int32](3)
		job.Spec.ActiveDeadlineSeconds = seconds(loadDeadline(run))
		job.Spec.Template = r.podTemplate(run, p, role, "load", "--workload", w.Name)
	default:
		job.ObjectMeta = objectMeta(run, plan.MeasureJobName(p.Run.ID, w.Name), role)
		// A measurement is never repeated.
		job.Spec.BackoffLimit = ptr.To[int32](0)
		job.Spec.ActiveDeadlineSeconds = seconds(measureDeadline(run, w))
		job.Spec.Template = r.podTemplate(run, p, role, "measure", "--workload", w.Name, "--listen", ":8080",
			"--ship-within", collectDeadline(run).String())
		container := &job.Spec.Template.Spec.Containers[0]
		container.Ports = []corev1.ContainerPort{{Name: "metrics", ContainerPort: 8080}}
		container.ReadinessProbe = probe("/readyz")
		// A worker that waits for a CPU sends late, and its measurement isn't valid: its
		// share must weigh as much as a member's.
		container.Resources.Requests[corev1.ResourceCPU] = resource.MustParse("500m")
		scrape(&job.Spec.Template)
	}
	giveFiles(job, p)
	job.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
	if asked := run.Spec.Load.Resources; asked != nil {
		container := &job.Spec.Template.Spec.Containers[0]
		container.Resources = resourcesOver(container.Resources.Requests, asked)
	}
	return job
}

// resourcesOver are the resources that are asked for, and the default request of each that nothing
// is said of. A limit alone says something: Kubernetes makes it the request, too.
func resourcesOver(defaults corev1.ResourceList, asked *v1alpha1.ResourcesSpec) corev1.ResourceRequirements {
	requests := maps.Clone(asked.Requests)
	if requests == nil {
		requests = corev1.ResourceList{}
	}
	for name, quantity := range defaults {
		_, requested := asked.Requests[name]
		if _, limited := asked.Limits[name]; !requested && !limited {
			requests[name] = quantity
		}
	}
	return corev1.ResourceRequirements{Requests: requests, Limits: asked.Limits}
}

// lastWordsTime is what a worker has left of its Job's time after it gave up by itself: with
// the Job's deadline its pod is deleted, and why it failed is lost.
const lastWordsTime = time.Minute

// measureDeadline bounds a measurement from its Job's creation: arming, posting the start,
// the schedule, the two deadlines of a read-modify-write at its end, and the time to ship
// what was recorded.
func measureDeadline(run *v1alpha1.BenchmarkRun, w *plan.Workload) time.Duration {
	measured := time.Duration(w.DurationMillis) * time.Millisecond
	if measured == 0 {
		measured = 24 * time.Hour
	}
	around := time.Duration(w.Load.WarmupMillis+w.Load.CooldownMillis+2*w.Load.OperationTimeoutMillis) * time.Millisecond
	return armDeadline + startDeadline + startIn + around + measured + collectDeadline(run) + lastWordsTime
}

func (r *Reconciler) observerObject(run *v1alpha1.BenchmarkRun, p *plan.Plan) *appsv1.Deployment {
	deployment := &appsv1.Deployment{ObjectMeta: objectMeta(run, plan.ObserverName(p.Run.ID), roleObserver)}
	deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: runLabels(run, roleObserver)}
	deployment.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
	deployment.Spec.Template = r.podTemplate(run, p, roleObserver, "observe", "--listen", ":8080")
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
func (r *Reconciler) podTemplate(run *v1alpha1.BenchmarkRun, p *plan.Plan, role, command string, args ...string) corev1.PodTemplateSpec {
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: runLabels(run, role), Annotations: leaveAlone()}}
	spec := &template.Spec
	spec.AutomountServiceAccountToken = ptr.To(false)
	spec.EnableServiceLinks = ptr.To(false)
	spec.ImagePullSecrets = r.Config.PullSecrets
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
			LocalObjectReference: corev1.LocalObjectReference{Name: planName(p.Run.ID)}}}},
		{Name: "token", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{{
			ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Audience: "kvbench", Path: "token", ExpirationSeconds: ptr.To[int64](tokenSeconds)}}}}}},
		{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
	}
	giveCredentials(spec, p)
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

func formatMicros(micros int64) string {
	switch {
	case micros >= 10_000_000:
		return strconv.FormatFloat(float64(micros)/1e6, 'f', 1, 64) + "s"
	case micros >= 1_000_000:
		return strconv.FormatFloat(float64(micros)/1e6, 'f', 2, 64) + "s"
	case micros >= 10_000:
		return strconv.FormatInt(micros/1000, 10) + "ms"
	}
	return strconv.FormatFloat(float64(micros)/1e3, 'f', 1, 64) + "ms"
}
