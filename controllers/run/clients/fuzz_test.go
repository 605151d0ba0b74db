package clients

import (
	"bytes"
	"testing"

	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/internal/plan"
)

// The observer's pod is the namespace's: whatever it answers, a fault hits a member of the
// run's own store, or nothing.
func FuzzSample(f *testing.F) {
	f.Add([]byte(`{"leader":"r-1","term":7,"members":[{"name":"r-1","role":"leader","healthy":true},{"name":"r-0","role":"follower","healthy":true}]}`), 0)
	f.Add([]byte(`{"leader":"kube-system/etcd","members":[{"name":"../../x","role":"follower","healthy":true}]}`), 1)
	f.Add([]byte(`{"leader":1}`), 2)
	f.Add([]byte(`[[[[`), 0)
	planned := &plan.Plan{Store: plan.Store{Members: []plan.Member{{Name: "r-0"}, {Name: "r-1"}, {Index: 2, Name: "r-2"}}}}
	roles := []string{plan.RoleLeader, plan.RoleFollower, plan.RoleAny, ""}
	f.Fuzz(func(t *testing.T, answer []byte, role int) {
		line, err := readSample(bytes.NewReader(answer))
		if err != nil {
			return
		}
		fault := plan.Fault{Name: "f", Target: plan.Target{Role: roles[uint(role)%4]}}
		target, err := decide.ChooseTarget(planned, fault, line)
		if (err == nil) != decide.IsMember(planned, target) {
			t.Errorf("the target is %q (%v)", target, err)
		}
		if err == nil && fault.Target.Role == plan.RoleLeader && target != line.Leader {
			t.Errorf("the target is %q, and the leader %q", target, line.Leader)
		}
	})
}
