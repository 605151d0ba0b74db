package measurements

import (
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestCodesOfADriverBecomeYCSBsStatuses(t *testing.T) {
	for code, want := range map[string]string{
		stores.CodeNotFound:       "NOT_FOUND",
		stores.CodeBadOperation:   "BAD_REQUEST",
		stores.CodeNoConnection:   "SERVICE_UNAVAILABLE",
		stores.CodeConnectionLost: "SERVICE_UNAVAILABLE",
		"RequestTooLarge":         "BAD_REQUEST",
		"ResourceExhausted":       "BAD_REQUEST", // the client's own limit for a message
		"PermissionDenied":        "FORBIDDEN",
		"TooManyRequests":         "SERVICE_UNAVAILABLE",
		"NoSpace":                 "ERROR",
	} {
		if got := status(code); got != want {
			t.Errorf("%s becomes %s, want %s", code, got, want)
		}
	}
}
