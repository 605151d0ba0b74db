package controllers

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// troubleKind is what keeps a pod from running. It is the reason of the condition that tells it.
type troubleKind string

const (
	imageNotPulled      troubleKind = "ImageNotPulled" // by now: a registry that is away or throttles, say
	imageNotFound       troubleKind = "ImageNotFound"
	imageDenied         troubleKind = "ImageDenied"
	unschedulable       troubleKind = "Unschedulable"
	volumePending       troubleKind = "VolumePending"
	containerNotStarted troubleKind = "ContainerNotStarted"
	crashLoop           troubleKind = "CrashLoop"
	podRefused          troubleKind = "PodRefused"

	// imageBackOff is the wait for the next try of a pull, where it doesn't say what the last one met.
	// No condition has it.
	imageBackOff troubleKind = "ImagePullBackOff"
)

// isTroubleOfPods says that a condition's reason is the trouble of a pod. Its message is the pod's words.
func isTroubleOfPods(reason string) bool {
	switch troubleKind(reason) {
	case imageNotPulled, imageNotFound, imageDenied, unschedulable, volumePending, containerNotStarted, crashLoop, podRefused:
		return true
	}
	return false
}

// lasts says that it doesn't go by itself.
func (k troubleKind) lasts() bool { return k == imageNotFound || k == imageDenied }

func (k troubleKind) ofPull() bool {
	return k == imageNotPulled || k == imageNotFound || k == imageDenied || k == imageBackOff
}

// podTrouble is what keeps one pod from running.
type podTrouble struct {
	Of    types.UID // the pod, or what can't make it
	Kind  troubleKind
	Words string
	Since time.Time // on the controller's clock
}

// maxTroubleWords leaves room for a sentence around them.
const maxTroubleWords = 500

// troubleOfPod is nothing for a pod that merely starts, runs, or is at its end.
func troubleOfPod(pod *corev1.Pod, claims []corev1.PersistentVolumeClaim) []podTrouble {
	if isReady(pod) || !pod.DeletionTimestamp.IsZero() || pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
		return nil
	}
	said := testimonyOf(pod)
	kind, words := said.kind, said.words
	claim := claimInTheMaking(pod, claims)
	switch {
	case claim != "" && (kind == "" || kind == unschedulable):
		kind, words = volumePending, fmt.Sprintf("pod %s waits for the volume of its claim %s, which is not made yet", pod.Name, claim)
	case kind == "" && noSandbox(pod):
		kind, words = containerNotStarted, fmt.Sprintf("pod %s: its volumes are not mounted, or it has no network (kubectl describe pod says which)", pod.Name)
	case kind == "":
		return nil
	}
	return []podTrouble{{Of: pod.UID, Kind: kind, Words: cut(words, maxTroubleWords)}}
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
func kindOfWait(status corev1.ContainerStatus) troubleKind {
	switch wants := status.State.Waiting; wants.Reason {
	case "", "ContainerCreating", "PodInitializing":
		return ""
	case "CrashLoopBackOff":
		return crashLoop
	case "ErrImageNeverPull", "InvalidImageName":
		return imageNotFound
	case "ErrImagePull", "RegistryUnavailable", "ImageInspectError", "SignatureValidationFailed":
		return kindOfPull(status.Image, wants.Message)
	case "ImagePullBackOff":
		if kind := kindOfPull(status.Image, wants.Message); kind.lasts() {
			return kind
		}
		return imageBackOff
	}
	return containerNotStarted
}

// kindOfEnd is that of a container that ended by itself; one that was started again once may run now.
func kindOfEnd(status corev1.ContainerStatus) troubleKind {
	if status.RestartCount > 1 || status.State.Waiting != nil && status.State.Waiting.Reason == "CrashLoopBackOff" {
		return crashLoop
	}
	return ""
}
