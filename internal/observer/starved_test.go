package observer

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/wire"
)

func TestAnObserverWaitsForTheServerAndThenSaysWhy(t *testing.T) {
	full := &client.Error{Status: 507, Problem: wire.Problem{Error: "the volume is full", Reason: wire.ReasonFull}}
	for _, c := range []struct {
		what     string
		refusals int // two in a second
		ok       bool
	}{
		{"for a while", 200, true},
		{"for good", 1000, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{}
				for range c.refusals {
					s.failures = append(s.failures, full)
				}
				options := testOptions(t, s)
				options.Say = func(string, ...any) {}
				began := time.Now()
				err := register(t.Context(), options, newWatch(options, &members{}))
				if (err == nil) != c.ok || err != nil && !strings.HasSuffix(err.Error(), "the volume is full") {
					t.Errorf("it ends with %v", err)
				}
				if waited := time.Since(began); waited > patience+retryPause {
					t.Errorf("it waited for %s", waited)
				}
			})
		})
	}
}
