package objects

import (
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/internal/plan"
)

// Job is the Job of a role for one workload.
func (r *Maker) Job(run *v1alpha1.BenchmarkRun, p *plan.Plan, w *plan.Workload, role string) *batchv1.Job {
	workers := int32(w.Load.Workers)
	job := &batchv1.Job{}
	job.Spec.Completions, job.Spec.Parallelism = &workers, &workers
	job.Spec.CompletionMode = ptr.To(batchv1.IndexedCompletion)
	switch role {
	case names.RoleReset:
		job.ObjectMeta = names.ObjectMeta(run, plan.ResetJobName(p.Run.ID, w.Name), role)
		job.Spec.Completions, job.Spec.Parallelism = ptr.To[int32](1), ptr.To[int32](1)
		job.Spec.BackoffLimit = ptr.To[int32](3)
		job.Spec.ActiveDeadlineSeconds = seconds(decide.LoadDeadline(run))
		job.Spec.Template = r.podTemplate(run, p, role, "reset", "--workload", w.Name)
	case names.RoleLoad:
		job.ObjectMeta = names.ObjectMeta(run, plan.LoadJobName(p.Run.ID, w.Name), role)
		// The same keys are written again: a loader may be repeated.
		job.Spec.BackoffLimit = ptr.To[int32](3)
		job.Spec.ActiveDeadlineSeconds = seconds(decide.LoadDeadline(run))
		job.Spec.Template = r.podTemplate(run, p, role, "load", "--workload", w.Name)
	default:
		job.ObjectMeta = names.ObjectMeta(run, plan.MeasureJobName(p.Run.ID, w.Name), role)
		// A measurement is never repeated.
		job.Spec.BackoffLimit = ptr.To[int32](0)
		job.Spec.ActiveDeadlineSeconds = seconds(decide.MeasureDeadline(run, w))
		job.Spec.Template = r.podTemplate(run, p, role, "measure", "--workload", w.Name, "--listen", ":8080",
			"--ship-within", decide.CollectDeadline(run).String())
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
