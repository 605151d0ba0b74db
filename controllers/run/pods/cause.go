// Package pods reads why a pod doesn't run, or ended, from its status.
package pods

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/run/state"
)

// IsReady says that the pod is ready, and isn't being deleted.
func IsReady(pod *corev1.Pod) bool {
	if !pod.DeletionTimestamp.IsZero() {
		return false
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// Cause is what a pod's status says of why it isn't ready, or of its end. Once one pod of a Job has
// failed, the others are deleted, and they end with a message as well. So the first cause counts.
type Cause struct {
	Weight weight
	kind   state.TroubleKind // of a pod that may still run
	at     time.Time         // zero when it isn't known
	Words  string
}

type weight int

const (
	silent    weight = iota // it is merely starting
	held                    // it can't be scheduled, or its container can't start
	Removed                 // by somebody, or since another pod failed
	died                    // by itself, or for want of memory
	disrupted               // evicted, preempted, or its node went
)

// WeighsMore says that this cause explains a Job's failure better than the other one.
func (t Cause) WeighsMore(than Cause) bool {
	if t.Weight != than.Weight {
		return t.Weight > than.Weight
	}
	return t.at.Before(than.at)
}

// CauseOf reads the cause from the pod's conditions, from its container's end and the last line that it
// wrote, or from what its container waits for.
func CauseOf(pod *corev1.Pod) Cause {
	if said, ok := disruptionOf(pod); ok {
		return said
	}
	said := containerOf(pod)
	if condition := podCondition(pod, corev1.PodScheduled); said.Weight == silent && condition != nil && condition.Status == corev1.ConditionFalse {
		said = Cause{Weight: held, kind: state.Unschedulable, Words: condition.Reason + message.Because(condition.Message)}
	}
	switch {
	case !pod.DeletionTimestamp.IsZero():
		return removalOf(pod, said)
	case said.Weight != silent:
		said.Words = fmt.Sprintf("pod %s: %s", pod.Name, said.Words)
		return said
	case pod.Status.Phase == corev1.PodFailed:
		return Cause{Weight: died, Words: fmt.Sprintf("pod %s: failed%s", pod.Name, message.Because(pod.Status.Message))}
	}
	return Cause{}
}

// removalOf is the cause of a pod that is being deleted. Where the pod never ran, it also names what held
// it: somebody may have deleted it for that.
func removalOf(pod *corev1.Pod, said Cause) Cause {
	removal := Cause{Weight: Removed, at: pod.DeletionTimestamp.Time}
	switch {
	case HasRun(pod):
		removal.Words = fmt.Sprintf("pod %s was deleted while it ran%s", pod.Name, message.Because(said.Words))
	case said.Weight == held:
		removal.Words = fmt.Sprintf("pod %s never ran: %s", pod.Name, said.Words)
	default:
		removal.Words = fmt.Sprintf("pod %s was deleted before it ran", pod.Name)
	}
	return removal
}

// statusUnknown is what a kubelet says of a container that it can't find when the pod ends. It says the
// same of a container that was never made.
const statusUnknown = "ContainerStatusUnknown"

// HasRun says that a container of the pod is known to have been started.
func HasRun(pod *corev1.Pod) bool {
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
func disruptionOf(pod *corev1.Pod) (Cause, bool) {
	said := Cause{Weight: disrupted}
	reason, text := "", ""
	if condition := podCondition(pod, corev1.DisruptionTarget); condition != nil && condition.Status == corev1.ConditionTrue {
		reason, text, said.at = condition.Reason, condition.Message, condition.LastTransitionTime.Time
	}
	if pod.Status.Phase == corev1.PodFailed && pod.Status.Reason != "" {
		reason, text = pod.Status.Reason, pod.Status.Message
	}
	said.Words = fmt.Sprintf("pod %s: %s%s", pod.Name, reason, message.Because(lastWords(text)))
	return said, reason != ""
}

// containerOf is the cause that the first container with one has. Init containers count unless they have
// succeeded.
func containerOf(pod *corev1.Pod) Cause {
	for _, status := range pod.Status.ContainerStatuses {
		if said := wordsOf(status); said.Weight != silent {
			return said
		}
	}
	for _, status := range pod.Status.InitContainerStatuses {
		if end := status.State.Terminated; end != nil && end.ExitCode == 0 {
			continue
		}
		if said := wordsOf(status); said.Weight != silent {
			said.Words = fmt.Sprintf("init container %s: %s", status.Name, said.Words)
			return said
		}
	}
	return Cause{}
}

func wordsOf(status corev1.ContainerStatus) Cause {
	for _, end := range []*corev1.ContainerStateTerminated{status.State.Terminated, status.LastTerminationState.Terminated} {
		if end != nil && end.ExitCode != 0 {
			return Cause{Weight: died, kind: kindOfEnd(status), at: end.FinishedAt.Time,
				Words: fmt.Sprintf("%s, exit code %d%s", end.Reason, end.ExitCode, message.Because(lastWords(end.Message)))}
		}
	}
	if status.State.Waiting == nil {
		return Cause{}
	}
	kind := kindOfWait(status)
	if kind == "" {
		return Cause{}
	}
	return Cause{Weight: held, kind: kind, Words: status.State.Waiting.Reason + message.Because(status.State.Waiting.Message)}
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
	return message.Cut(strings.TrimSpace(lines[last]), 400)
}

// ofStack says that a line is one that Throwable.printStackTrace writes below an exception.
func ofStack(line string) bool {
	indented, line := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, " "), strings.TrimSpace(line)
	return line == "" || indented && (strings.HasPrefix(line, "at ") || strings.HasPrefix(line, "... ") && strings.HasSuffix(line, " more"))
}
