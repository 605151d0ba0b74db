// Package decide says what the one next thing is that a run needs. It is a pure function of what was
// observed: it imports no client and asks nobody. A decision that needs more is a question.
package decide

import (
	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
)

// Decide is the state machine: from what is there to the one next thing. It derives the step from objects
// and conditions, and never reads status.phase. Where a decision needs what a pass doesn't read each time,
// its verb is DoAsk. The caller answers its question in o, and calls Decide again.
func Decide(o *state.Observed) Decision {
	d := decideStep(o)
	if d.Verb == DoFail {
		return decideFail(o, d)
	}
	return d
}

func decideStep(o *state.Observed) Decision {
	run := o.Run
	deleting := !run.DeletionTimestamp.IsZero()
	switch {
	case deleting && o.NamespaceGoing:
		return decideLetGo(o)
	case deleting:
		return decideTeardown(o, Decision{Verb: DoRelease})
	case status.Ended(run):
		return decideAfterEnd(o)
	case status.IsTrue(run, status.ConditionFailing):
		return decideFailing(o)
	case o.Plan == nil && status.IsTrue(run, v1alpha1.ConditionAccepted) && !status.IsTrue(run, v1alpha1.ConditionReported):
		return Fail("PlanLost", "the ConfigMap %s with the plan was deleted or changed while the run was under way%s", names.PlanName(names.RunID(run)), message.Because(o.PlanTrouble))
	case o.FilesLost && status.IsTrue(run, v1alpha1.ConditionAccepted) && !status.IsTrue(run, v1alpha1.ConditionReported):
		return Fail("FilesLost", "the ConfigMap %s with the run's files was deleted or changed while the run was under way", names.FilesName(names.RunID(run)))
	case o.Plan == nil && !status.IsTrue(run, v1alpha1.ConditionReported):
		return decideAdmit(o)
	case !status.IsTrue(run, v1alpha1.ConditionAccepted) && run.Status.PlanSHA256 == "":
		// The plan was kept, and the status that says so was not.
		return decideAdmit(o)
	case !status.IsTrue(run, v1alpha1.ConditionAccepted):
		return DecideQueue(o)
	case !status.IsTrue(run, v1alpha1.ConditionStoreReady):
		return decideDeploy(o)
	case !status.IsTrue(run, v1alpha1.ConditionReported):
		for i := range o.Plan.Workloads {
			if d, done := decideWorkload(o, &o.Plan.Workloads[i]); !done {
				return d
			}
		}
		return decideCollect(o)
	default:
		return decideTeardown(o, Decision{Verb: DoFinish, Condition: v1alpha1.ConditionComplete})
	}
}
