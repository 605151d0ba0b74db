package conformance

import (
	"syscall"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

// LateLook is of a member that is silent for longer than a look at it waits, as on a busy machine, and for
// less than the others would miss it: the first look that it answers has to find it as well as before.
func LateLook(t *testing.T, target Target, cluster *servers) {
	observer := observe(t, target)
	defer observer.Close()
	settle(t, observer, "all healthy", allHealthy)
	const late = 0
	answers := func(states []stores.MemberState) bool { return states[late].Role != stores.MemberUnknown }
	cluster.members[late].Signal(t, syscall.SIGSTOP)
	defer cluster.members[late].Signal(t, syscall.SIGCONT)
	settle(t, observer, "a look that isn't answered", func(states []stores.MemberState) bool { return !answers(states) })
	cluster.members[late].Signal(t, syscall.SIGCONT)
	if state := settle(t, observer, "an answer again", answers)[late]; !state.Healthy {
		t.Errorf("after a look that came late: %+v, want a healthy one", state)
	}
}
