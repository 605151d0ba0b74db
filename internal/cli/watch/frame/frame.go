// Package frame is what kubectl kvbench watch shows at one moment. It is pure: it is made of the resources, the results server's
// live view and the time, and asks nobody.
package frame

import "time"

// Frame is one moment of a run or a suite. Run or Suite is set.
type Frame struct {
	Time      time.Time `json:"time"`
	Kind      string    `json:"kind"` // run or suite
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	UID       string    `json:"uid"`
	Phase     string    `json:"phase"`
	// AgeSeconds is how long ago it was created, or how long it took once it has ended.
	AgeSeconds int64  `json:"ageSeconds"`
	Run        *Run   `json:"run,omitempty"`
	Suite      *Suite `json:"suite,omitempty"`
	// Cluster and Results say that the API server or the results server doesn't answer. They are asked again; nil while they answer.
	Cluster *Silence `json:"cluster,omitempty"`
	Results *Silence `json:"results,omitempty"`
	// Missing says what the frame lacks, and why.
	Missing []string `json:"missing,omitempty"`
	// Ended says that it is over. ExitCode and Verdict then say how.
	Ended    bool     `json:"ended"`
	ExitCode int      `json:"exitCode"`
	Verdict  []string `json:"verdict,omitempty"`
}

// Silence is of a server. What the frame has of it is as old as Seconds says.
type Silence struct {
	Seconds int64  `json:"seconds"`
	Trouble string `json:"trouble"` // of the last request
}

// Run is where a run stands.
type Run struct {
	Name  string `json:"name"`
	Phase string `json:"phase"`
	Store string `json:"store"`
	Mode  string `json:"mode,omitempty"`
	Nodes int    `json:"nodes"`
	Steps []Step `json:"steps"`
	// Workload whose turn it is, the how many-th it is, and of how many.
	Workload       string `json:"workload"`
	WorkloadNumber int    `json:"workloadNumber"`
	Workloads      int    `json:"workloads"`
	// Waiting is what the run waits for, or why it fails; "" if it doesn't say.
	Waiting string `json:"waiting,omitempty"`
	// Load is that of the measurement under way; nil outside of one.
	Load *Load `json:"load,omitempty"`
	// Term is the leader's. Members are empty where the observer has not told of them lately.
	Term              uint64   `json:"term,omitempty"`
	Members           []Member `json:"members"`
	MembersAgeSeconds int64    `json:"membersAgeSeconds"` // how long ago they were seen so
	Faults            []Fault  `json:"faults"`
	Events            []Event  `json:"events"` // the last one first
	// Found is what the report says of each workload; empty before there is one.
	Found []Found `json:"found"`
}

// Found is what a workload's measurement found, as the run's status has it.
type Found struct {
	Workload   string `json:"workload"`
	Throughput int64  `json:"throughput"` // operations/s
	P99        string `json:"p99,omitempty"`
	Errors     int64  `json:"errors"`
	// Outage is the longest of the faults in the workload, ">" before a lower bound; "" without a fault.
	Outage string `json:"outage,omitempty"`
	// InvalidReasons are why its numbers may not be believed.
	InvalidReasons []string `json:"invalidReasons,omitempty"`
}

// Step is one of a run's, for the workload whose turn it is.
type Step struct {
	Name  string `json:"name"`
	State string `json:"state"` // Done, Current, Waiting or Failed
}

// States of a step.
const (
	Done    = "Done"
	Current = "Current"
	Waiting = "Waiting"
	Failed  = "Failed"
)

// Load is a measurement under way.
type Load struct {
	// ElapsedSeconds count from the end of the warm-up to now, and are negative before it.
	ElapsedSeconds int64 `json:"elapsedSeconds"`
	// DurationSeconds of the measurement and LeftSeconds to its end are not there where it ends after so many operations, or with
	// a trace.
	DurationSeconds *int64 `json:"durationSeconds,omitempty"`
	LeftSeconds     *int64 `json:"leftSeconds,omitempty"`
	// ClosedLoop says that each operation waits for the one before it, so that the intended ones are those that were sent.
	ClosedLoop bool `json:"closedLoop"`
	// Figures are not there while the results server has none.
	Figures *Figures `json:"figures,omitempty"`
}

// StaleSeconds is the age from which figures are no longer of now. Workers send once a second, and the server is asked once a second.
const StaleSeconds = 4

// Figures are of the newest whole second that all workers have sent.
type Figures struct {
	AgeSeconds int64 `json:"ageSeconds"` // how long ago that second ended
	Intended   int64 `json:"intended"`   // operations/s
	Served     int64 `json:"served"`     // operations/s that succeeded
	// Ended is not there where it isn't known.
	Ended *Ended `json:"ended,omitempty"`
	// Recent are the operations that were served in each of the last seconds, the newest one last. RecentErrors failed or have an
	// unknown outcome, of those that were intended in these seconds.
	Recent       []int64 `json:"recent"`
	RecentErrors int64   `json:"recentErrors"`
}

// Ended are the operations that ended in a second, which has an age of its own.
type Ended struct {
	AgeSeconds int64 `json:"ageSeconds"`
	Errors     int64 `json:"errors"`    // operations/s that failed, or whose outcome is unknown
	P99Micros  int64 `json:"p99Micros"` // of the successes; 0 where there is none
	Response   bool  `json:"response"`  // the p99 is of the response time, as in an open loop; else of the service time
}

// Member is a member of the store, as the observer sees it.
type Member struct {
	Name string `json:"name"`
	Role string `json:"role"`
	Up   bool   `json:"up"`
}

// Fault is one of the run's.
type Fault struct {
	Name     string `json:"name"`
	Action   string `json:"action"`
	Workload string `json:"workload"`
	At       string `json:"at"` // after the end of the warm-up
	// State is that of the run's status, or Planned.
	State   string   `json:"state"`
	Targets []string `json:"targets,omitempty"`
	Message string   `json:"message,omitempty"`
	// InjectedAt is just before the injection was asked for, and EndedAt when a fault that lasts was seen to be healed.
	InjectedAt *time.Time `json:"injectedAt,omitempty"`
	EndedAt    *time.Time `json:"endedAt,omitempty"`
	Lasts      bool       `json:"lasts,omitempty"` // until it is healed
}

// Planned is the state of a fault that is not due yet.
const Planned = "Planned"

// Event is one that was recorded of the run.
type Event struct {
	Time    time.Time `json:"time"`
	Warning bool      `json:"warning"`
	Reason  string    `json:"reason"`
	Message string    `json:"message"`
}

// Suite is where a suite stands.
type Suite struct {
	Total    int    `json:"total"` // trials
	Done     int    `json:"done"`
	Unusable int    `json:"unusable"` // without valid numbers
	Left     int    `json:"left"`
	Adopted  int    `json:"adopted"` // of done, from an earlier suite
	Repeated int    `json:"repeated"`
	TimeLeft string `json:"timeLeft,omitempty"`
	// Rows are the combinations. There are none before a search has found the rates.
	Rows   []Row `json:"rows"`
	Blocks int   `json:"blocks"`
	// Waiting is what the suite waits for, or what hinders it.
	Waiting string `json:"waiting,omitempty"`
	// Run is the one under way; nil where there is none.
	Run *Run `json:"run,omitempty"`
}

// Row is a combination, with a cell for each block.
type Row struct {
	Combination string `json:"combination"`
	Cells       []Cell `json:"cells"`
}

// Cell is a trial.
type Cell struct {
	State CellState `json:"state"`
	// Repeats is how many runs of the trial were spoilt and made again, or will be.
	Repeats int    `json:"repeats,omitempty"`
	Run     string `json:"run,omitempty"` // the last one
}

// CellState says where a trial stands.
type CellState string

// States of a trial.
const (
	TrialWaiting  CellState = "Waiting"
	TrialRunning  CellState = "Running"
	TrialMeasured CellState = "Measured" // in a run that others share and that has no report yet
	TrialValid    CellState = "Valid"
	TrialNotValid CellState = "NotValid" // or its run failed
)
