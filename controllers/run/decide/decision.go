package decide

import (
	"fmt"
	"time"

	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/internal/faults"
)

// Verb is the one thing that a pass does.
type Verb string

// Verbs.
const (
	DoNothing      Verb = "Nothing"
	DoAdmit        Verb = "Admit"        // compile, check, write the plan
	DoTakeSlot     Verb = "TakeSlot"     // take the Lease
	DoAccept       Verb = "Accept"       // say that it is our turn
	DoInstall      Verb = "Install"      // release and observer
	DoRepair       Verb = "Repair"       // uninstall a release that a killed controller left
	DoStoreReady   Verb = "StoreReady"   // say so
	DoCreateJob    Verb = "CreateJob"    // Job names the role
	DoSetWorkload  Verb = "SetWorkload"  // set Condition on the workload
	DoStart        Verb = "Start"        // post the start time
	DoIntendFault  Verb = "IntendFault"  // write the intent, with the Target
	DoInjectFault  Verb = "InjectFault"  // create the object
	DoNoteInjected Verb = "NoteInjected" // write the bracket
	DoEndFault     Verb = "EndFault"     // write that a fault that lasts is to be healed now
	DoHealFault    Verb = "HealFault"    // delete the object
	DoForceFault   Verb = "ForceFault"   // remove the object from a Chaos Mesh that holds on to it
	DoNoteHealed   Verb = "NoteHealed"
	DoProgress     Verb = "Progress"
	DoCollect      Verb = "Collect" // merge and keep the report
	DoFail         Verb = "Fail"    // note why, then tear down
	DoStopWorkers  Verb = "StopWorkers"
	DoTearDown     Verb = "TearDown"
	DoTidy         Verb = "Tidy"     // tear down what an ended run has left
	DoNoteGone     Verb = "NoteGone" // CleanedUp
	DoFinish       Verb = "Finish"   // give the slot back, set the end condition
	DoRelease      Verb = "Release"  // remove the finalizer
	DoWait         Verb = "Wait"
	DoAsk          Verb = "Ask" // answer the Question, and decide again
)

// Decision is what decide wants done. Reason and Message go into a condition.
type Decision struct {
	Verb      Verb
	Workload  string
	Fault     string
	Sides     faults.Sides // of the fault to intend
	Question  state.Question
	Role      string // of the Job to create
	Condition string
	Reason    string
	Message   string
	// After asks to look again then, when nothing happens before.
	After time.Duration
}

func wait(reason, message string, after time.Duration) Decision {
	return Decision{Verb: DoWait, Reason: reason, Message: message, After: after}
}

func ask(q state.Question) Decision { return Decision{Verb: DoAsk, Question: q} }

// Fail ends the run with that reason.
func Fail(reason, format string, args ...any) Decision {
	return Decision{Verb: DoFail, Reason: reason, Message: fmt.Sprintf(format, args...)}
}
