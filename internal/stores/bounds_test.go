package stores

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestADeadlineIsTheEarlierEnd(t *testing.T) {
	soon, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ends, _ := soon.Deadline()
	if got := DeadlineOf(soon, time.Hour); !got.Equal(ends) {
		t.Errorf("%v, want the context's %v", got, ends)
	}
	for _, ctx := range []context.Context{soon, t.Context()} {
		before := time.Now()
		if got := DeadlineOf(ctx, time.Second); got.Before(before.Add(time.Second)) || got.After(time.Now().Add(time.Second)) {
			t.Errorf("%v, a second after %v is wanted", got, before)
		}
	}
}

func TestAnErrorIsCutToText(t *testing.T) {
	for text, want := range map[string]string{
		"short": "short", strings.Repeat("x", MaxError+1): strings.Repeat("x", MaxError),
		strings.Repeat("x", MaxError-1) + "é": strings.Repeat("x", MaxError-1),
	} {
		if got := CutError(text); got != want {
			t.Errorf("%.20q… of %d bytes, want %d", got, len(got), len(want))
		}
	}
}
