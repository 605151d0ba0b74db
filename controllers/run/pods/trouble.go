package pods

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/run/state"
)

// MaxTroubleWords leaves room for a sentence around them.
const MaxTroubleWords = 500

// TroubleOfPod is nothing for a pod that merely starts, runs, or is at its end.
func TroubleOfPod(pod *corev1.Pod, claims []corev1.PersistentVolumeClaim) []state.PodTrouble {
	if IsReady(pod) || !pod.DeletionTimestamp.IsZero() || pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
		return nil
	}
	said := CauseOf(pod)
	kind, words := said.kind, said.Words
	claim := claimInTheMaking(pod, claims)
	switch {
	case claim != "" && (kind == "" || kind == state.Unschedulable):
		kind, words = state.VolumePending, fmt.Sprintf("pod %s waits for the volume of its claim %s, which is not made yet", pod.Name, claim)
	case kind == "" && noSandbox(pod):
		kind, words = state.ContainerNotStarted, fmt.Sprintf("pod %s: its volumes are not mounted, or it has no network (kubectl describe pod says which)", pod.Name)
	case kind == "":
		return nil
	}
	return []state.PodTrouble{{Of: pod.UID, Kind: kind, Words: message.Cut(words, MaxTroubleWords)}}
}

// What the cluster writes on a claim when it asks a provisioner for the volume.
const (
	claimSelectedNode = "volume.kubernetes.io/selected-node"
	claimProvisioner  = "volume.kubernetes.io/storage-provisioner"
)

// claimInTheMaking names a claim of the pod whose volume was asked for, and isn't there. A claim that
// is bound with its pod waits for the pod at first.
func claimInTheMaking(pod *corev1.Pod, claims []corev1.PersistentVolumeClaim) string {
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim == nil {
			continue
		}
		for i := range claims {
			claim := &claims[i]
			asked := claim.Annotations[claimSelectedNode] != "" || claim.Annotations[claimProvisioner] != ""
			if claim.Name == volume.PersistentVolumeClaim.ClaimName && claim.Status.Phase == corev1.ClaimPending && asked {
				return claim.Name
			}
		}
	}
	return ""
}

// noSandbox says that the pod has a Kubernetes node, and is not as far as pulling its images.
func noSandbox(pod *corev1.Pod) bool {
	condition := podCondition(pod, corev1.PodReadyToStartContainers)
	return pod.Status.Phase == corev1.PodPending && condition != nil && condition.Status == corev1.ConditionFalse
}

// kindOfWait is why a container waits; nothing for one that merely starts.
func kindOfWait(status corev1.ContainerStatus) state.TroubleKind {
	switch wants := status.State.Waiting; wants.Reason {
	case "", "ContainerCreating", "PodInitializing":
		return ""
	case "CrashLoopBackOff":
		return state.CrashLoop
	case "ErrImageNeverPull", "InvalidImageName":
		return state.ImageNotFound
	case "ErrImagePull", "RegistryUnavailable", "ImageInspectError", "SignatureValidationFailed":
		return kindOfPull(status.Image, wants.Message)
	case "ImagePullBackOff":
		if kind := kindOfPull(status.Image, wants.Message); kind.Lasts() {
			return kind
		}
		return state.ImageBackOff
	}
	return state.ContainerNotStarted
}

// kindOfEnd is the kind of a container that ended by itself. One that was started again once may run now,
// and has none.
func kindOfEnd(status corev1.ContainerStatus) state.TroubleKind {
	if status.RestartCount > 1 || status.State.Waiting != nil && status.State.Waiting.Reason == "CrashLoopBackOff" {
		return state.CrashLoop
	}
	return ""
}
