package frame

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// MaxEvents is how many events of a run are shown at most.
const MaxEvents = 10

// EventsOf are the last ones, the newest one first.
func EventsOf(list []corev1.Event) []Event {
	events := make([]Event, len(list))
	for i := range list {
		e := &list[i]
		events[i] = Event{Time: timeOf(e), Warning: e.Type == corev1.EventTypeWarning, Reason: e.Reason, Message: e.Message}
	}
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(b.Time.UnixNano(), a.Time.UnixNano()) })
	return events[:min(len(events), MaxEvents)]
}

// timeOf is when the event was seen last. Which field has it depends on who wrote the event.
func timeOf(e *corev1.Event) time.Time {
	latest := e.CreationTimestamp.Time
	if e.Series != nil && e.Series.LastObservedTime.After(latest) {
		latest = e.Series.LastObservedTime.Time
	}
	for _, other := range []time.Time{e.LastTimestamp.Time, e.EventTime.Time} {
		if other.After(latest) {
			latest = other
		}
	}
	return latest
}
