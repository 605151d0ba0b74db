package controllers

import (
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
)

// observed is everything that decide looks at, read in one pass. It is plain data.
type observed struct {
	Now   time.Time // on the results server's clock
	Run   *v1alpha1.BenchmarkRun
	Plan  *plan.Plan // nil when its ConfigMap is absent
	Slot  slotState
	Store storeState
	Jobs  map[string]jobState // by Job name
	// Workers counts the pods of measuring Jobs that have not ended.
	Workers int
	Faults  map[string]faults.State
	// Left names what the run created and is still there, by kind and name, the plan's
	// ConfigMap apart.
	Left []string
	// NamespaceGoing says that the namespace is being deleted.
	NamespaceGoing bool
}

// slotState is the queue as this run sees it.
type slotState struct {
	Held  bool // by this run
	Free  bool // nobody that is alive holds it
	Ahead int  // runs that were created earlier and wait as well
	By    string
}

// storeState is the deployment.
type storeState struct {
	Release       releaseState
	ReadyMembers  int
	ObserverReady bool
	// Refusal is why the release can't be read.
	Refusal string
	// Trouble is what a pod that isn't ready says of itself.
	Trouble string
}

// releaseState mirrors the Helm release; it is read only where a decision needs it.
type releaseState string

const (
	releaseUnread   releaseState = ""
	releaseAbsent   releaseState = "absent"
	releaseDeployed releaseState = "deployed"
	releaseBroken   releaseState = "broken" // pending, failed or half uninstalled
	// releaseForbidden: the run's service account may not even look.
	releaseForbidden releaseState = "forbidden"
)

// jobState is one Job and its pods.
type jobState struct {
	Exists    bool
	Complete  bool
	Failed    bool
	ReadyPods int
	// Message is what the failed pod said last, else the Job's own condition.
	Message string
	Age     time.Duration
}
