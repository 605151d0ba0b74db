package ycsb

import "testing"

func TestCodesOfADriverBecomeYCSBsStatuses(t *testing.T) {
	for code, want := range map[string]string{
		"NOT_FOUND":         "NOT_FOUND",
		"RequestTooLarge":   "BAD_REQUEST",
		"ResourceExhausted": "BAD_REQUEST", // the client's own limit for a message
		"PermissionDenied":  "FORBIDDEN",
		"TooManyRequests":   "SERVICE_UNAVAILABLE",
		"NoSpace":           "ERROR",
	} {
		if got := status(code); got != want {
			t.Errorf("%s becomes %s, want %s", code, got, want)
		}
	}
}
