package statetest

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type PodChange func(*corev1.Pod)

func PodOf(name string, changes ...PodChange) corev1.Pod {
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{batchv1.JobNameLabel: "job"}}}
	pod.Status.Phase = corev1.PodRunning
	for _, change := range changes {
		change(&pod)
	}
	return pod
}

func Exited(reason string, code int32, after time.Duration, message string) PodChange {
	return func(pod *corev1.Pod) {
		pod.Status.Phase = corev1.PodFailed
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			Reason: reason, ExitCode: code, Message: message, FinishedAt: metav1.NewTime(Epoch.Add(after))}}}}
	}
}

// Evicted is what a kubelet writes that is short of something.
func Evicted(message string) PodChange {
	return func(pod *corev1.Pod) {
		pod.Status.Phase, pod.Status.Reason, pod.Status.Message = corev1.PodFailed, "Evicted", message
	}
}

func DisruptedBy(reason, message string, after time.Duration) PodChange {
	return func(pod *corev1.Pod) {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget,
			Status: corev1.ConditionTrue, Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(Epoch.Add(after))})
	}
}

func GoingAfter(after time.Duration) PodChange {
	return func(pod *corev1.Pod) {
		at := metav1.NewTime(Epoch.Add(after))
		pod.DeletionTimestamp = &at
	}
}

func Unscheduled(pod *corev1.Pod) {
	pod.Status.Phase = corev1.PodPending
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/3 nodes are available"}}
}

func ReadyPod(pod *corev1.Pod) {
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
}

func HeldBy(reason, message string) PodChange {
	return func(pod *corev1.Pod) {
		pod.Status.Phase = corev1.PodPending
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}}
	}
}

// First is how the container ended that runs before the others.
func First(end *corev1.ContainerStateTerminated) PodChange {
	return func(pod *corev1.Pod) {
		pod.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "first", State: corev1.ContainerState{Terminated: end}}}
	}
}

func PendingPod(pod *corev1.Pod) { pod.Status.Phase = corev1.PodPending }
