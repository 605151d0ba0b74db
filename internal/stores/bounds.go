package stores

import (
	"context"
	"strings"
	"time"
)

// DeadlineOf is the end of the timeout or the context's, whichever comes first.
func DeadlineOf(ctx context.Context, timeout time.Duration) time.Time {
	deadline := time.Now().Add(timeout)
	if ends, ok := ctx.Deadline(); ok && ends.Before(deadline) {
		return ends
	}
	return deadline
}

// MaxError bounds what a member's state tells of an error, in bytes.
const MaxError = 300

// CutError is the text of an error for a member's state.
func CutError(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), MaxError)], "")
}
