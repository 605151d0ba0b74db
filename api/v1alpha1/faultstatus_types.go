package v1alpha1

// FaultStatus is one injection. Instants are on the results server's clock.
type FaultStatus struct {
	// name of the fault.
	// +kubebuilder:validation:MaxLength=32
	Name string `json:"name"`
	// target is the member that was chosen, where it is one.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Target string `json:"target,omitempty"`
	// targets are the members that were chosen.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=9
	// +kubebuilder:validation:items:MaxLength=253
	Targets []string `json:"targets,omitempty"`
	// peers are the members from which the fault separates its targets.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=9
	// +kubebuilder:validation:items:MaxLength=253
	Peers []string `json:"peers,omitempty"`
	// podUIDs are those of the pods that the fault was injected into: first of the targets, then of the peers. Only a
	// fault that lasts has them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=18
	// +kubebuilder:validation:items:MaxLength=64
	PodUIDs []string `json:"podUIDs,omitempty"`
	// state: Intended, Injected, Healed, NotInjected.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	State string `json:"state,omitempty"`
	// requestedUnixNanos is when the controller began with it.
	// +optional
	RequestedUnixNanos int64 `json:"requestedUnixNanos,omitempty"`
	// injectedAfterUnixNanos is just before the injection was asked for.
	// +optional
	InjectedAfterUnixNanos int64 `json:"injectedAfterUnixNanos,omitempty"`
	// injectedBeforeUnixNanos is when the injection was seen as done.
	// +optional
	InjectedBeforeUnixNanos int64 `json:"injectedBeforeUnixNanos,omitempty"`
	// endedAfterUnixNanos is just before the healing of a fault that lasts was asked for. If the fault was over
	// before that, it is when the fault was last seen to be injected.
	// +optional
	EndedAfterUnixNanos int64 `json:"endedAfterUnixNanos,omitempty"`
	// endedBeforeUnixNanos is when a fault that lasts was seen to be healed.
	// +optional
	EndedBeforeUnixNanos int64 `json:"endedBeforeUnixNanos,omitempty"`
	// clockBoundNanos is how far the controller's idea of that clock may be off.
	// +optional
	ClockBoundNanos int64 `json:"clockBoundNanos,omitempty"`
	// leaderBefore is the leader just before the injection.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	LeaderBefore string `json:"leaderBefore,omitempty"`
	// termBefore is the term just before the injection.
	// +optional
	TermBefore int64 `json:"termBefore,omitempty"`
	// late says that it was asked for more than 2 s after it was due.
	// +optional
	Late bool `json:"late,omitempty"`
	// reason is what the message is about, where that matters for what follows: NotMade, NotDeleted,
	// PodReplaced, EndedEarly.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Reason string `json:"reason,omitempty"`
	// message says what went wrong.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
}

// Reasons of a fault's message.
const (
	FaultNotMade    = "NotMade"    // its object isn't there yet
	FaultNotDeleted = "NotDeleted" // its object is still there
	// FaultPodReplaced: one of its pods was replaced while it lasted, and the new pod escaped it.
	FaultPodReplaced = "PodReplaced"
	FaultEndedEarly  = "EndedEarly" // it was over before its healing was asked for
)

// States of a fault.
const (
	FaultIntended    = "Intended"
	FaultInjected    = "Injected"
	FaultHealed      = "Healed"
	FaultNotInjected = "NotInjected"
)

// FaultSummary is a fault and the outage it caused.
type FaultSummary struct {
	// name of the fault.
	// +kubebuilder:validation:MaxLength=32
	Name string `json:"name"`
	// target that was hit.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Target string `json:"target,omitempty"`
	// leaderBefore the injection.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	LeaderBefore string `json:"leaderBefore,omitempty"`
	// leaderAfter the recovery.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	LeaderAfter string `json:"leaderAfter,omitempty"`
	// outageMicros is how long clients were without service. It is 0 of a fault that has partOf.
	OutageMicros int64 `json:"outageMicros"`
	// outageCensored says that the service wasn't back at the end: a lower bound.
	// +optional
	OutageCensored bool `json:"outageCensored,omitempty"`
	// partOf is the fault that has the outage of this one too, since the two overlap and it was injected first.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	PartOf string `json:"partOf,omitempty"`
}
