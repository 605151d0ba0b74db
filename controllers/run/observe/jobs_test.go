package observe

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/controllers/run/pods"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
)

func TestAFailedJobSaysWhichPodWasLostAndWhy(t *testing.T) {
	const jobs = "Job has reached the specified backoff limit"
	told := statetest.Exited("Error", 1, 2*time.Second, "received terminated: ended before it was done")
	for _, c := range []struct {
		name string
		pods []corev1.Pod
		want string
	}{
		{"its pods are gone", nil, jobs},
		{"its pods run", []corev1.Pod{statetest.PodOf("w-0", statetest.ReadyPod), statetest.PodOf("w-1")}, jobs},
		{"a worker's own words, the last line of them",
			[]corev1.Pod{statetest.PodOf("w-0", statetest.Exited("Error", 4, time.Second, "shipping waits\nmeasurement lost: worker 0 heard of the start 100ms before it\n"))},
			"pod w-0: Error, exit code 4: measurement lost: worker 0 heard of the start 100ms before it"},
		{"out of memory", []corev1.Pod{statetest.PodOf("w-0", statetest.Exited("OOMKilled", 137, time.Second, ""))}, "pod w-0: OOMKilled, exit code 137"},
		{"evicted, without a trace of the container", []corev1.Pod{statetest.PodOf("w-0", statetest.Evicted("The node was low on resource: memory."))},
			"pod w-0: Evicted: The node was low on resource: memory."},
		{"evicted, and the container killed for it",
			[]corev1.Pod{statetest.PodOf("w-0", statetest.Exited("Error", 137, time.Second, "some line of its log"), statetest.DisruptedBy("TerminationByKubelet", "The node was low on resource: memory.", 0), statetest.Evicted("The node was low on resource: memory."))},
			"pod w-0: Evicted: The node was low on resource: memory."},
		{"drained", []corev1.Pod{statetest.PodOf("w-0", told, statetest.GoingAfter(0), statetest.DisruptedBy("EvictionByEvictionAPI", "Eviction API: evicting", 0))},
			"pod w-0: EvictionByEvictionAPI: Eviction API: evicting"},
		{"preempted", []corev1.Pod{statetest.PodOf("w-0", statetest.GoingAfter(0), statetest.DisruptedBy("PreemptionByScheduler", "default-scheduler: preempting to accommodate a higher priority pod", 0))},
			"pod w-0: PreemptionByScheduler: default-scheduler: preempting to accommodate a higher priority pod"},
		{"its node is gone", []corev1.Pod{statetest.PodOf("w-0", statetest.GoingAfter(0), statetest.DisruptedBy("DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint", 0))},
			"pod w-0: DeletionByTaintManager: Taint manager: deleting due to NoExecute taint"},
		{"a disruption that was called off", []corev1.Pod{statetest.PodOf("w-0", statetest.ReadyPod, func(pod *corev1.Pod) {
			pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionFalse, Reason: "EvictionByEvictionAPI"})
		})}, jobs},
		{"deleted by somebody, and still ending", []corev1.Pod{statetest.PodOf("w-0", statetest.GoingAfter(0))}, "pod w-0 was deleted while it ran"},
		{"deleted by somebody, and ended", []corev1.Pod{statetest.PodOf("w-0", told, statetest.GoingAfter(0))},
			"pod w-0 was deleted while it ran: Error, exit code 1: received terminated: ended before it was done"},
		{"of two that ended, the first", []corev1.Pod{statetest.PodOf("w-0", statetest.Exited("Error", 1, 2*time.Second, "later")), statetest.PodOf("w-1", statetest.Exited("Error", 1, time.Second, "first"))},
			"pod w-1: Error, exit code 1: first"},
		{"the other was told to end, since the first had failed",
			[]corev1.Pod{statetest.PodOf("w-0", told, statetest.GoingAfter(time.Second)), statetest.PodOf("w-1", statetest.Exited("OOMKilled", 137, time.Second, ""))},
			"pod w-1: OOMKilled, exit code 137"},
		{"the other, listed after it, was told to end",
			[]corev1.Pod{statetest.PodOf("w-0", statetest.Evicted("The node was low on resource: ephemeral-storage.")), statetest.PodOf("w-1", told, statetest.GoingAfter(time.Second))},
			"pod w-0: Evicted: The node was low on resource: ephemeral-storage."},
		{"of two that were deleted, the first", []corev1.Pod{statetest.PodOf("w-0", statetest.GoingAfter(time.Second)), statetest.PodOf("w-1", statetest.GoingAfter(0))}, "pod w-1 was deleted while it ran"},
		{"deleted by somebody before it ran", []corev1.Pod{statetest.PodOf("w-0", statetest.Unscheduled, statetest.GoingAfter(0))}, "pod w-0 never ran: Unschedulable: 0/3 nodes are available"},
		{"deleted before it ran, since the first had failed",
			[]corev1.Pod{statetest.PodOf("w-0", statetest.Unscheduled, statetest.GoingAfter(time.Second)), statetest.PodOf("w-1", statetest.Exited("OOMKilled", 137, time.Second, ""))},
			"pod w-1: OOMKilled, exit code 137"},
		{"refused by its node", []corev1.Pod{statetest.PodOf("w-0", func(pod *corev1.Pod) {
			pod.Status.Phase, pod.Status.Reason, pod.Status.Message = corev1.PodFailed, "OutOfcpu", "Node didn't have enough resource: cpu"
		})}, "pod w-0: OutOfcpu: Node didn't have enough resource: cpu"},
		{"never scheduled", []corev1.Pod{statetest.PodOf("w-0", statetest.Unscheduled)}, "pod w-0: Unschedulable: 0/3 nodes are available"},
		{"without its image", []corev1.Pod{statetest.PodOf("w-0", statetest.HeldBy("ErrImagePull", "no such image"))}, "pod w-0: ErrImagePull: no such image"},
		{"an exception's cause, and not the stack below it",
			[]corev1.Pod{statetest.PodOf("w-0", statetest.Exited("Error", 1, 0, "INFO: starting\nException in thread \"main\" com.example.InvalidConfigurationException: no such group\n\tat com.example.Starter.main(Starter.java:49)\nCaused by: java.io.IOException: config.yaml: line 7\n\tat com.example.Reader.read(Reader.java:8)\n\t... 3 more\n"))},
			"pod w-0: Error, exit code 1: Caused by: java.io.IOException: config.yaml: line 7"},
		{"a stack that was cut off at its begin", []corev1.Pod{statetest.PodOf("w-0", statetest.Exited("Error", 1, 0, "\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\n"))},
			"pod w-0: Error, exit code 1: at a.B.c(B.java:1)"},
		{"what begins its container ended", []corev1.Pod{statetest.PodOf("w-0", statetest.HeldBy("PodInitializing", ""), statetest.First(&corev1.ContainerStateTerminated{Reason: "Error", ExitCode: 1, Message: "no route"}))},
			"pod w-0: init container first: Error, exit code 1: no route"},
		{"what begins its container is done, and it has no image", []corev1.Pod{statetest.PodOf("w-0", statetest.HeldBy("ErrImagePull", "no such image"), statetest.First(&corev1.ContainerStateTerminated{Reason: "Completed"}))},
			"pod w-0: ErrImagePull: no such image"},
		{"what begins its container was done in the end", []corev1.Pod{statetest.PodOf("w-0", statetest.HeldBy("PodInitializing", ""), statetest.First(&corev1.ContainerStateTerminated{Reason: "Completed"}), func(pod *corev1.Pod) {
			pod.Status.InitContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{Reason: "Error", ExitCode: 1}
		})}, jobs},
		{"one waits, one ended", []corev1.Pod{statetest.PodOf("w-0", statetest.Exited("Error", 1, time.Second, "why")), statetest.PodOf("w-1", statetest.Unscheduled)}, "pod w-0: Error, exit code 1: why"},
	} {
		t.Run(c.name, func(t *testing.T) {
			job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "job"}}
			job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue, Message: jobs}}
			other := statetest.PodOf("of-another-job", statetest.Evicted("not our business"))
			other.Labels[batchv1.JobNameLabel] = "other"
			state := stateOfJob(job, append(c.pods, other), statetest.Epoch)
			if !state.Failed || state.Message != c.want {
				t.Errorf("failed: %t, with %q, want %q", state.Failed, state.Message, c.want)
			}
		})
	}
}

// At its deadline a Job's pods are deleted. That is no cause.
func TestAJobWhoseTimeIsOverSaysWhatItsPodsWaitedFor(t *testing.T) {
	pending := func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodPending }
	ranUntil := statetest.Exited("Error", 1, 2*time.Second, "received terminated: ended before it was done")
	// neverLocated is what the kubelet writes of a container that it never made, when its pod ends.
	neverLocated := statetest.Exited("ContainerStatusUnknown", 137, 0, "The container could not be located when the pod was terminated")
	for _, c := range []struct {
		name string
		pods []corev1.Pod
		want string
	}{
		{"nothing: they are gone", nil, ""},
		{"nothing: they ran", []corev1.Pod{statetest.PodOf("w-0", statetest.GoingAfter(0)), statetest.PodOf("w-1", ranUntil, statetest.GoingAfter(0))}, ""},
		{"a Kubernetes node", []corev1.Pod{statetest.PodOf("w-0", statetest.Unscheduled, statetest.GoingAfter(0))}, "pod w-0 never ran: Unschedulable: 0/3 nodes are available"},
		{"a Kubernetes node, and the pod is ended for good", []corev1.Pod{statetest.PodOf("w-0", statetest.Unscheduled, statetest.GoingAfter(0), func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodFailed })},
			"pod w-0 never ran: Unschedulable: 0/3 nodes are available"},
		{"an image", []corev1.Pod{statetest.PodOf("w-0", statetest.HeldBy("ImagePullBackOff", "no such image"), statetest.GoingAfter(0))}, "pod w-0 never ran: ImagePullBackOff: no such image"},
		{"what nobody knows any more", []corev1.Pod{statetest.PodOf("w-0", neverLocated, statetest.GoingAfter(0))}, "pod w-0 was deleted before it ran"},
		{"what it doesn't say", []corev1.Pod{statetest.PodOf("w-0", pending, statetest.GoingAfter(0))}, "pod w-0 was deleted before it ran"},
		{"one of them, while the other ran", []corev1.Pod{statetest.PodOf("w-0", statetest.GoingAfter(0)), statetest.PodOf("w-1", statetest.Unscheduled, statetest.GoingAfter(0))}, "pod w-1 never ran: Unschedulable: 0/3 nodes are available"},
		{"an earlier one ended by itself", []corev1.Pod{statetest.PodOf("w-0", statetest.Exited("Error", 1, 0, "no space")), statetest.PodOf("w-1", statetest.GoingAfter(time.Second))}, "pod w-0: Error, exit code 1: no space"},
	} {
		t.Run(c.name, func(t *testing.T) {
			job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "job"}}
			job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue,
				Reason: batchv1.JobReasonDeadlineExceeded, Message: "Job was active longer than specified deadline"}}
			state := stateOfJob(job, c.pods, statetest.Epoch)
			if !state.Failed || !state.TimedOut || state.Message != c.want {
				t.Errorf("failed: %t, since its time is over: %t, with %q, want %q", state.Failed, state.TimedOut, state.Message, c.want)
			}
		})
	}
}

func TestAPodThatMerelyStartsSaysNothing(t *testing.T) {
	for name, pod := range map[string]corev1.Pod{
		"pending":       statetest.PodOf("w-0", func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodPending }),
		"creating":      statetest.PodOf("w-0", statetest.HeldBy("ContainerCreating", "")),
		"initializing":  statetest.PodOf("w-0", statetest.HeldBy("PodInitializing", "")),
		"not ready yet": statetest.PodOf("w-0"),
		"ended well":    statetest.PodOf("w-0", statetest.Exited("Completed", 0, 0, "done")),
	} {
		if name == "ended well" {
			pod.Status.Phase = corev1.PodSucceeded
		}
		if said := pods.CauseOf(&pod); said.Words != "" {
			t.Errorf("%s: %q", name, said.Words)
		}
	}
}
