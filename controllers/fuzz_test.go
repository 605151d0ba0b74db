package controllers

import (
	"bytes"
	"slices"
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
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
		target, err := chooseTarget(planned, fault, line)
		if (err == nil) != isMember(planned, target) {
			t.Errorf("the target is %q (%v)", target, err)
		}
		if err == nil && fault.Target.Role == plan.RoleLeader && target != line.Leader {
			t.Errorf("the target is %q, and the leader %q", target, line.Leader)
		}
	})
}

// The plan's ConfigMap lies where the run's author may write.
func FuzzPlan(f *testing.F) {
	const uid = "7f3c0e1a-0000-4000-8000-000000000001"
	kept := `{"format":1,"run":{"uid":"` + uid + `"},"workloads":[{"name":"a"}]}`
	for _, text := range []string{kept, kept + " ", "{}", "[", `{"format":1,"run":{"uid":"` + uid + `"},"workloads":[{"load":{"workers":1e9}}]}`} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, admitted bool) {
		run := &v1alpha1.BenchmarkRun{}
		run.UID = uid
		if admitted {
			run.Status.PlanSHA256 = digest([]byte(kept))
		}
		parsed, trouble := parsePlan(run, text)
		switch {
		case (parsed == nil) == (trouble == ""):
			t.Errorf("%v, and %q", parsed, trouble)
		case parsed != nil && (parsed.Run.UID != uid || parsed.Format != plan.Format):
			t.Errorf("took %+v", parsed)
		case parsed != nil && admitted && text != kept:
			t.Errorf("took %q for the plan that was kept", text)
		}
		if slices.Contains([]string{"", "\n"}, text) && parsed != nil {
			t.Error("took nothing for a plan")
		}
	})
}
