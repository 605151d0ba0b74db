package controllers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// testimony is what a pod says of why it isn't ready, or of its end. Once one pod of a Job
// has failed, the others are deleted, and end with words as well: the first cause counts.
type testimony struct {
	weight weight
	kind   troubleKind // of a pod that may still run
	at     time.Time   // zero when it isn't known
	words  string
}

type weight int

const (
	silent    weight = iota // it is merely starting
	held                    // it can't be scheduled, or its container can't start
	removed                 // by somebody, or since another pod failed
	died                    // by itself, or for want of memory
	disrupted               // evicted, preempted, or its node went
)

func (t testimony) weighsMore(than testimony) bool {
	if t.weight != than.weight {
		return t.weight > than.weight
	}
	return t.at.Before(than.at)
}

// testimonyOf takes a pod's word from its conditions, its container's end with the last words
// that it wrote, or what its container waits for.
func testimonyOf(pod *corev1.Pod) testimony {
	if said, ok := disruptionOf(pod); ok {
		return said
	}
	said := containerOf(pod)
	if condition := podCondition(pod, corev1.PodScheduled); said.weight == silent && condition != nil && condition.Status == corev1.ConditionFalse {
		said = testimony{weight: held, kind: unschedulable, words: condition.Reason + because(condition.Message)}
	}
	switch {
	case !pod.DeletionTimestamp.IsZero():
		return removalOf(pod, said)
	case said.weight != silent:
		said.words = fmt.Sprintf("pod %s: %s", pod.Name, said.words)
		return said
	case pod.Status.Phase == corev1.PodFailed:
		return testimony{weight: died, words: fmt.Sprintf("pod %s: failed%s", pod.Name, because(pod.Status.Message))}
	}
	return testimony{}
}

// removalOf is of a pod that is being deleted. Where it never ran, what held it was there before
// somebody lost patience.
func removalOf(pod *corev1.Pod, said testimony) testimony {
	removal := testimony{weight: removed, at: pod.DeletionTimestamp.Time}
	switch {
	case hasRun(pod):
		removal.words = fmt.Sprintf("pod %s was deleted while it ran%s", pod.Name, because(said.words))
	case said.weight == held:
		removal.words = fmt.Sprintf("pod %s never ran: %s", pod.Name, said.words)
	default:
		removal.words = fmt.Sprintf("pod %s was deleted before it ran", pod.Name)
	}
	return removal
}

// statusUnknown is what a kubelet says of a container that it can't find when the pod ends; of one that
// was never made as well.
const statusUnknown = "ContainerStatusUnknown"

// hasRun says that a container of the pod is known to have been started.
func hasRun(pod *corev1.Pod) bool {
	if pod.Status.Phase == corev1.PodRunning || pod.Status.Phase == corev1.PodSucceeded {
		return true
	}
	return slices.ContainsFunc(slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses), func(status corev1.ContainerStatus) bool {
		end := status.State.Terminated
		return status.ContainerID != "" || status.State.Running != nil || status.LastTerminationState.Terminated != nil ||
			end != nil && end.Reason != statusUnknown
	})
}

// disruptionOf says that the cluster took the pod away. A kubelet that evicts says so in the
// status, the API server and the scheduler in a condition. What the container said when it
// was ended is then no cause.
func disruptionOf(pod *corev1.Pod) (testimony, bool) {
	said := testimony{weight: disrupted}
	reason, message := "", ""
	if condition := podCondition(pod, corev1.DisruptionTarget); condition != nil && condition.Status == corev1.ConditionTrue {
		reason, message, said.at = condition.Reason, condition.Message, condition.LastTransitionTime.Time
	}
	if pod.Status.Phase == corev1.PodFailed && pod.Status.Reason != "" {
		reason, message = pod.Status.Reason, pod.Status.Message
	}
	said.words = fmt.Sprintf("pod %s: %s%s", pod.Name, reason, because(lastWords(message)))
	return said, reason != ""
}

// containerOf is of the first container that has something to say; of those that run before the others
// if they haven't done so with success.
func containerOf(pod *corev1.Pod) testimony {
	for _, status := range pod.Status.ContainerStatuses {
		if said := wordsOf(status); said.weight != silent {
			return said
		}
	}
	for _, status := range pod.Status.InitContainerStatuses {
		if end := status.State.Terminated; end != nil && end.ExitCode == 0 {
			continue
		}
		if said := wordsOf(status); said.weight != silent {
			said.words = fmt.Sprintf("init container %s: %s", status.Name, said.words)
			return said
		}
	}
	return testimony{}
}

func wordsOf(status corev1.ContainerStatus) testimony {
	for _, end := range []*corev1.ContainerStateTerminated{status.State.Terminated, status.LastTerminationState.Terminated} {
		if end != nil && end.ExitCode != 0 {
			return testimony{weight: died, kind: kindOfEnd(status), at: end.FinishedAt.Time,
				words: fmt.Sprintf("%s, exit code %d%s", end.Reason, end.ExitCode, because(lastWords(end.Message)))}
		}
	}
	if status.State.Waiting == nil {
		return testimony{}
	}
	kind := kindOfWait(status)
	if kind == "" {
		return testimony{}
	}
	return testimony{weight: held, kind: kind, words: status.State.Waiting.Reason + because(status.State.Waiting.Message)}
}

func podCondition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// lastWords is the last line that isn't of a Java program's stack: its exception, or the cause of that, is
// in the line before.
func lastWords(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := len(lines) - 1
	for last > 0 && ofStack(lines[last]) {
		last--
	}
	return cut(strings.TrimSpace(lines[last]), 400)
}

// ofStack says that a line is one that Throwable.printStackTrace writes below an exception.
func ofStack(line string) bool {
	indented, line := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, " "), strings.TrimSpace(line)
	return line == "" || indented && (strings.HasPrefix(line, "at ") || strings.HasPrefix(line, "... ") && strings.HasSuffix(line, " more"))
}
