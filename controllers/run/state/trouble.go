package state

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// TroubleKind is what keeps a pod from running. It is the reason of the condition that tells it.
type TroubleKind string

// What keeps pods from running.
const (
	ImageNotPulled      TroubleKind = "ImageNotPulled" // by now: a registry that is away or throttles, say
	ImageNotFound       TroubleKind = "ImageNotFound"
	ImageDenied         TroubleKind = "ImageDenied"
	Unschedulable       TroubleKind = "Unschedulable"
	VolumePending       TroubleKind = "VolumePending"
	ContainerNotStarted TroubleKind = "ContainerNotStarted"
	CrashLoop           TroubleKind = "CrashLoop"
	PodRefused          TroubleKind = "PodRefused"

	// ImageBackOff is the wait for the next try of a pull, where it doesn't say what the last one met.
	// No condition has it.
	ImageBackOff TroubleKind = "ImagePullBackOff"
)

// IsTroubleOfPods says that a condition's reason is the trouble of a pod. Its message is the pod's words.
func IsTroubleOfPods(reason string) bool {
	switch TroubleKind(reason) {
	case ImageNotPulled, ImageNotFound, ImageDenied, Unschedulable, VolumePending, ContainerNotStarted, CrashLoop, PodRefused:
		return true
	}
	return false
}

// Lasts says that the trouble doesn't go by itself.
func (k TroubleKind) Lasts() bool { return k == ImageNotFound || k == ImageDenied }

func (k TroubleKind) ofPull() bool {
	return k == ImageNotPulled || k == ImageNotFound || k == ImageDenied || k == ImageBackOff
}

// PodTrouble is what keeps one pod from running.
type PodTrouble struct {
	Of    types.UID // the pod, or what can't make it
	Kind  TroubleKind
	Words string
	Since time.Time // on the controller's clock
}

// WorseThan puts what doesn't go by itself first, then what came first: the others may follow from it.
func (p *PodTrouble) WorseThan(other *PodTrouble) bool {
	switch {
	case p.Kind.Lasts() != other.Kind.Lasts():
		return p.Kind.Lasts()
	case !p.Since.Equal(other.Since):
		return p.Since.Before(other.Since)
	}
	return p.Words < other.Words
}

// after is the trouble now, of a pod that had the other before.
func (p PodTrouble) after(before PodTrouble, now time.Time) PodTrouble {
	switch {
	case p.Kind == before.Kind, p.Kind == ImageBackOff && before.Kind.ofPull():
		return before
	case p.Kind == ImageBackOff:
		p.Kind = ImageNotPulled
	}
	p.Since = now
	return p
}
