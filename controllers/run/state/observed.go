// Package state has the value that a pass works on: what was observed of a run, what was asked besides,
// and what is remembered of earlier passes. It is plain data.
package state

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
)

// Observed is everything that decide looks at, read in one pass. It is plain data.
type Observed struct {
	Now   time.Time // the controller's clock, which conditions are stamped with
	Began time.Time // when this controller did
	// ServerNow is the same instant on the results server's clock, which starts and faults
	// are noted with. Zero while that clock isn't known.
	ServerNow time.Time
	// ClockMoved is how far that clock was seen to step since the last start.
	ClockMoved time.Duration
	Run        *v1alpha1.BenchmarkRun
	// Memory is what is remembered of earlier passes, and of this one.
	Memory Memory
	// Asked is what decide wanted to know besides.
	Asked Answers
	// Plan is nil when its ConfigMap is absent, or isn't what was kept: PlanTrouble says how.
	Plan        *plan.Plan
	PlanExists  bool // the ConfigMap does, and is this run's
	PlanUID     types.UID
	PlanTrouble string
	PlanText    string // as it is kept
	FilesLost   bool   // the plan has files, and what was kept of them isn't there
	Slot        Slot
	Store       Store
	Jobs        map[string]Job // by Job name
	// Workers counts the pods of measuring Jobs that have not ended.
	Workers int
	Faults  map[string]faults.State
	// UnlistedFaults are the faults that may be at work, and whose objects nobody can list, since the definition of
	// their kind is away.
	UnlistedFaults map[string]bool
	// Left names what the run created and is still there, by kind and name, the plan's
	// ConfigMap apart.
	Left []string
	// LeftBesides are those of them that belong neither to the store nor to its observer.
	LeftBesides []string
	// StoreLeft counts those of them that belong to the store.
	StoreLeft int
	// NamespaceGoing says that the namespace is being deleted.
	NamespaceGoing bool
}

// Slot is the queue as this run sees it.
type Slot struct {
	Held  bool // by this run
	Free  bool // nobody that is alive holds it
	Ahead int  // runs that were created earlier and wait as well
	// Unadmitted is how many of Ahead have not been admitted yet; they count for a while.
	Unadmitted int
	By         string
	// Behind is the run right before this one, in words; empty where it isn't known.
	Behind string
}

// Store is the deployment.
type Store struct {
	Release       Release
	ReadyMembers  int
	ObserverMade  bool // its Deployment is there
	ObserverReady bool
	// Refusal is why the release can't be read.
	Refusal string
	// Unready is what a resource of an own chart says that isn't ready.
	Unready string
	// Unfit is why the plan's faults can't hit the members of an own chart, or may not.
	Unfit Refusal
	// Trouble is what a pod that isn't ready says of itself.
	Trouble string
	// Troubles are what keeps pods of the store and the observer from running.
	Troubles []PodTrouble
}

// Refusal is a compile.Refusal as plain data.
type Refusal struct{ Reason, Message string }

// Release mirrors the Helm release; it is read only where a decision needs it.
type Release string

// Releases as they may be found.
const (
	ReleaseUnread   Release = ""
	ReleaseAbsent   Release = "absent"
	ReleaseDeployed Release = "deployed"
	ReleaseBroken   Release = "broken" // pending, failed or half uninstalled
	// ReleaseForbidden: the run's service account may not even look.
	ReleaseForbidden Release = "forbidden"
)

// Job is one Job and its pods.
type Job struct {
	Exists    bool
	Deleting  bool
	Complete  bool
	Failed    bool
	TimedOut  bool // it failed since it was not done by its deadline
	ReadyPods int
	// StartingPods are those that aren't ready yet, and aren't being deleted.
	StartingPods int
	// Message is what the failed pod said last, else the Job's own condition. Of one that timed out it
	// is what its pods waited for, if they tell.
	Message string
	// Troubles are what keeps its pods from running.
	Troubles []PodTrouble
	Age      time.Duration
}

// AdmitGrace is how long a run that hasn't been admitted keeps later ones waiting. It counts from this
// process's first pass for the run, since the run's creation is stamped with another clock. A run that
// can't be admitted, because its namespace has no room for the plan, say, must not stop all others.
const AdmitGrace = time.Minute
