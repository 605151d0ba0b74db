package act

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
)

// Act does the one thing decided, writes what follows from it into the run's status (in
// memory), and says when to look again.
func (r *Actor) Act(ctx context.Context, o *state.Observed, d decide.Decision) (time.Duration, error) {
	switch d.Verb {
	case decide.DoNothing:
		return 0, nil
	case decide.DoWait:
		switch {
		case d.Workload != "":
			setWorkload(o.Run, d, metav1.ConditionUnknown)
		case d.Condition != "":
			status.SetCondition(o.Run, d.Condition, metav1.ConditionUnknown, d.Reason, d.Message)
		}
		return d.After, nil
	case decide.DoAdmit:
		return r.admit(ctx, o)
	case decide.DoTakeSlot:
		return r.takeSlot(ctx, o)
	case decide.DoAccept:
		return 0, r.accept(ctx, o)
	case decide.DoInstall:
		return d.After, r.install(ctx, o)
	case decide.DoRepair:
		return time.Second, r.uninstall(ctx, o)
	case decide.DoStoreReady:
		status.SetCondition(o.Run, v1alpha1.ConditionStoreReady, metav1.ConditionTrue, "Steady", d.Message)
		return 0, nil
	case decide.DoCreateJob:
		return 0, r.createJob(ctx, o, d)
	case decide.DoSetWorkload:
		if d.Condition == v1alpha1.ConditionMeasured {
			noteMeasured(o, d)
			return 0, nil
		}
		setWorkload(o.Run, d, unless(d.Reason == status.ReasonNotHealed || d.Reason == status.ReasonNotWhole))
		return d.After, nil
	case decide.DoStart:
		return 0, r.start(ctx, o, d.Workload)
	case decide.DoProgress:
		return d.After, r.progress(o, d.Workload)
	case decide.DoIntendFault, decide.DoInjectFault, decide.DoNoteInjected, decide.DoEndFault, decide.DoHealFault, decide.DoForceFault, decide.DoNoteHealed:
		return r.actOnFault(ctx, o, d)
	case decide.DoCollect:
		return r.collect(ctx, o)
	case decide.DoFail:
		boundFaults(o)
		failing(o, d)
		return 0, nil
	case decide.DoStopWorkers:
		return d.After, r.deleteJobs(ctx, o)
	case decide.DoTearDown:
		return d.After, r.tearDown(ctx, o)
	case decide.DoTidy:
		r.tidy(ctx, o)
		return d.After, nil
	case decide.DoNoteGone:
		status.SetCondition(o.Run, v1alpha1.ConditionCleanedUp, unless(d.Reason == status.ReasonTimedOut), d.Reason, d.Message)
		return 0, nil
	case decide.DoFinish:
		return 0, r.finish(ctx, o, d)
	case decide.DoRelease:
		return 0, r.letGo(ctx, o)
	}
	return 0, fmt.Errorf("no act for the decision %q: this is a bug", d.Verb)
}
