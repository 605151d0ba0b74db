package watch

import (
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/results/wire"
)

const (
	// refusedPause is how long a refusal of the results server is believed: an administrator may give the right meanwhile.
	refusedPause = 30 * time.Second
	// registrationGrace is for how long after its turn came a run may still seem unknown: a request may have been under way.
	registrationGrace = 5 * time.Second
)

// target is the run that the results server and the events are asked for. What is known of it ends with it.
type target struct {
	uid      string    // "" for none
	accepted time.Time // when it was first seen that its turn has come; zero before
	refused  time.Time // when the results server refused for good; zero if it didn't
}

// aimedAt is the target when this run is to be asked for. nil is none.
func (t target) aimedAt(run *v1alpha1.BenchmarkRun, now time.Time) target {
	if run == nil {
		return target{}
	}
	if t.uid != string(run.UID) {
		t = target{uid: string(run.UID)}
	}
	if t.accepted.IsZero() && meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionAccepted) {
		t.accepted = now
	}
	return t
}

// due says whether the results server is to be asked.
func (t target) due(now time.Time) bool {
	return t.uid != "" && (t.refused.IsZero() || now.Sub(t.refused) >= refusedPause)
}

// judge says what an error of the results server's means: that it doesn't know the run yet, or that asking again soon doesn't help,
// or neither. A run is registered when its turn comes. Before that the server forbids it, as it does a run that somebody may not see.
func (t target) judge(err error, now time.Time) (unknown, refused bool) {
	var refusal *forward.Refusal
	var access *forward.AccessError
	switch {
	case errors.As(err, &access):
		return false, true
	case !errors.As(err, &refusal):
		return false, false
	case refusal.Reason == wire.ReasonForbidden:
		registered := !t.accepted.IsZero() && now.Sub(t.accepted) >= registrationGrace
		return !registered, registered
	}
	return refusal.Reason == wire.ReasonNotFound, false
}
