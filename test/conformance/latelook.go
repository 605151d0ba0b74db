package conformance

import (
	"syscall"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

// LateLook is of a member that is silent for longer than a look at it waits, as on a busy machine, while
// the others miss nothing: the first look that it answers has to find it as well as it was.
func LateLook(t *testing.T, target Target, cluster *servers) {
	observer, err := target.Entry.Observe(target.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer observer.Close()
	settle(t, observer, "all healthy", allHealthy)
	const late = 0
	answers := func(states []stores.MemberState) bool { return states[late].Role != stores.MemberUnknown }
	cluster.members[late].Signal(t, syscall.SIGSTOP)
	defer cluster.members[late].Signal(t, syscall.SIGCONT)
	settle(t, observer, "a look that isn't answered", func(states []stores.MemberState) bool { return !answers(states) })
	cluster.members[late].Signal(t, syscall.SIGCONT)
	if states := settle(t, observer, "an answer again", answers); !allHealthy(states) {
		t.Errorf("after a look that came late: %+v, want all healthy", states)
	}
}
