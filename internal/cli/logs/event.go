package logs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// ofEvent is an event as a line, if it is about one of the subjects or about something that belongs to one.
func ofEvent(e *corev1.Event, subjects []subject) (Line, bool) {
	about := &e.InvolvedObject
	at := slices.IndexFunc(subjects, func(s subject) bool {
		return s.Namespace == about.Namespace && (string(about.UID) == s.UID || s.owns(about.Name))
	})
	if at < 0 {
		return Line{}, false
	}
	s := subjects[at]
	source := strings.ToLower(about.Kind) + " " + s.short(about.Name)
	if string(about.UID) == s.UID {
		source = strings.TrimPrefix(strings.ToLower(about.Kind), "benchmark")
	}
	line := Line{Time: lastSeen(e), Run: s.Name, Source: "event " + source, Role: Event}
	if about.Kind == "Pod" {
		line.Pod = about.Name
	}
	line.Text = fmt.Sprintf("%s %s: %s", e.Type, e.Reason, strings.TrimSpace(e.Message))
	if count := countOf(e); count > 1 {
		line.Text += fmt.Sprintf(" (%d times)", count)
	}
	return line, true
}

// lastSeen is when the event happened last, as its reporter says. The old and the new form of events have different fields.
func lastSeen(e *corev1.Event) time.Time {
	last := e.CreationTimestamp.Time
	for _, at := range []time.Time{e.FirstTimestamp.Time, e.LastTimestamp.Time, e.EventTime.Time} {
		if !at.IsZero() {
			last = at
		}
	}
	if e.Series != nil && e.Series.LastObservedTime.After(last) {
		last = e.Series.LastObservedTime.Time
	}
	return last.UTC()
}

func countOf(e *corev1.Event) int32 {
	if e.Series != nil {
		return max(e.Count, e.Series.Count)
	}
	return e.Count
}

// eventKey changes when an event happens again.
func eventKey(e *corev1.Event) string { return fmt.Sprintf("%s/%d", e.UID, countOf(e)) }

// byTime puts lines in order of time.
func byTime(lines []Line) {
	slices.SortStableFunc(lines, func(a, b Line) int { return cmp.Compare(a.Time.UnixNano(), b.Time.UnixNano()) })
}
