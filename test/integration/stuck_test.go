package integration

import (
	"context"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// stuckPods are what the cluster says of pods that don't run, by their role, which a spec changes
// while the simulator looks.
type stuckPods struct{ said sync.Map }

func (p *stuckPods) set(role string, said corev1.PodStatus) { p.said.Store(role, &said) }
func (p *stuckPods) free(role string)                       { p.said.Delete(role) }

func (p *stuckPods) of(role string) *corev1.PodStatus {
	said, _ := p.said.Load(role)
	status, _ := said.(*corev1.PodStatus)
	return status
}

// unschedulable is what the scheduler says of a pod that no Kubernetes node is large enough for.
func unschedulable(message string) corev1.PodStatus {
	return corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: message},
	}}
}

// sticks writes the status of a pod that doesn't run.
func (s *simulator) sticks(ctx context.Context, pod *corev1.Pod, said corev1.PodStatus) {
	wanted := pod.DeepCopy()
	wanted.Status.Phase, wanted.Status.Conditions, wanted.Status.ContainerStatuses = said.Phase, said.Conditions, said.ContainerStatuses
	if !equality.Semantic.DeepEqual(wanted.Status, pod.Status) {
		_ = s.Status().Update(ctx, wanted)
	}
}

func timeIsOver(job *batchv1.Job) bool {
	allowed := job.Spec.ActiveDeadlineSeconds
	return allowed != nil && time.Since(job.CreationTimestamp.Time) > time.Duration(*allowed)*time.Second
}

// timeOut does what the Job controller does when a Job's time is over: it deletes the pods, which stay
// until their end was counted.
func (s *simulator) timeOut(ctx context.Context, job *batchv1.Job) {
	pods := &corev1.PodList{}
	if s.List(ctx, pods, client.InNamespace(job.Namespace), client.MatchingLabels{batchv1.JobNameLabel: job.Name}) != nil {
		return
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if !pod.DeletionTimestamp.IsZero() {
			continue
		}
		pod.Finalizers = []string{batchv1.JobTrackingFinalizer}
		if s.Update(ctx, pod) != nil || s.Delete(ctx, pod) != nil {
			return
		}
	}
	s.endFor(ctx, job, batchv1.JobFailed, batchv1.JobReasonDeadlineExceeded)
}

// untrack lets a pod of a Job go.
func (s *simulator) untrack(ctx context.Context, pod *corev1.Pod) {
	if len(pod.Finalizers) > 0 {
		pod.Finalizers = nil
		_ = s.Update(ctx, pod)
	}
}

// imageMissing is what a kubelet says of a pod whose image its registry hasn't, in containerd's words.
var imageMissing = corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{
	Name: "loadgen", Image: "loadgen", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
		Reason: "ErrImagePull",
		Message: `failed to pull and unpack image "docker.io/library/loadgen:latest": failed to resolve reference ` +
			`"docker.io/library/loadgen:latest": docker.io/library/loadgen:latest: not found`,
	}},
}}}
