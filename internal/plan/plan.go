// Package plan holds the Plan: a BenchmarkRun with everything resolved.
//
// It has types only. internal/compile makes a Plan. The controller stores it once and never changes it.
// Every other program (workers, observer, results server, report) learns of the run from its Plan alone.
package plan

import (
	"encoding/json"
	"time"
)

// Format is the version of the JSON below. A reader refuses any other.
const Format = 1

// Plan is one run, resolved. It is stored as JSON under the key FileName.
type Plan struct {
	Format int `json:"format"`
	// Kvbench is the version of kvbench that made the plan; "" where its program has none.
	Kvbench   string     `json:"kvbench,omitempty"`
	Run       Run        `json:"run"`
	Seed      uint64     `json:"seed"`
	Store     Store      `json:"store"`
	Workloads []Workload `json:"workloads"`
	Faults    []Fault    `json:"faults,omitempty"`
	// Placement is nil where the scheduler of Kubernetes has all freedom.
	Placement *Placement `json:"placement,omitempty"`
	// Objectives are the bounds that the figures have to keep.
	Objectives []Objective `json:"objectives,omitempty"`
	// Files are what the run was given besides: keys of ConfigMaps, as they were when it was
	// admitted. A command line's files are not among them.
	Files []File `json:"files,omitempty"`
}

// FileName is the plan's name in its ConfigMap, in a pod's volume and in a bundle.
const FileName = "plan.json"

// Run names the BenchmarkRun. ID is the stem of all its children's names: the run's
// name cut short, plus a hash of the UID; a DNS label of at most 40 characters.
type Run struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	ID        string `json:"id"`
}

// Store is what is under test.
type Store struct {
	Name    string `json:"name"`   // catalog entry, e.g. "etcd", or the run's own name for endpoints
	Driver  string `json:"driver"` // protocol, a key of the drivers' registry
	Mode    string `json:"mode"`   // e.g. "linearizable"
	Promise string `json:"promise"`
	// Existing: the members ran before, and go on after the run. Others may use them.
	// Nothing is known of their version and their storage, and nothing is deployed.
	Existing bool   `json:"existing,omitempty"`
	Version  string `json:"version,omitempty"` // image tag
	Chart    string `json:"chart,omitempty"`   // folder below charts/stores
	// OwnChart is deployed in place of one of those. Nothing is known of its Version and storage.
	OwnChart *OwnChart `json:"ownChart,omitempty"`
	// Values are the Helm values, complete: the catalog's, then what the spec says.
	Values json.RawMessage `json:"values,omitempty"`
	// EffectiveValues are what the chart makes of them: its own, and Values over these. They are
	// for readers, and nothing is installed from them. Absent for OwnChart, whose own values are
	// not looked at.
	EffectiveValues json.RawMessage `json:"effectiveValues,omitempty"`
	// Security is what the members ask of their clients, Auth or TLS; empty for nothing. Secret
	// is the name of the Secret with what clients prove it with.
	Security string `json:"security,omitempty"`
	Secret   string `json:"secret,omitempty"`
	// Container is the one that a ContainerKill ends.
	Container  string `json:"container"`
	Consensus  bool   `json:"consensus"`  // members elect one leader
	Persistent bool   `json:"persistent"` // members keep their data when their pod is replaced
	// Rejoins: a member that lost its data is to be taken in again. The chart's value rejoin.image
	// has kvbench's own image then, which is not in Values.
	Rejoins bool `json:"rejoins,omitempty"`
	// WholeRecord: a record is one value, so an update rewrites all its fields.
	WholeRecord bool              `json:"wholeRecord,omitempty"`
	Members     []Member          `json:"members"`
	Properties  map[string]string `json:"properties,omitempty"` // for the driver, e.g. the mode's read level
}

// OwnChart is a chart that a run brought, as it was when the run was admitted. It is kept in a
// ConfigMap of the run's own.
type OwnChart struct {
	Source  string `json:"source"` // where it was read, for people
	Name    string `json:"name"`   // in its Chart.yaml
	Version string `json:"version"`
	SHA256  string `json:"sha256"` // of the packed chart
	Bytes   int    `json:"bytes"`
	// Ready are the resources that say when the store is ready.
	Ready []Ready `json:"ready,omitempty"`
}

// Ready is a resource whose status has a condition, or a field, when the store is ready.
type Ready struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Condition  string `json:"condition,omitempty"`
	Status     string `json:"status,omitempty"` // of the condition
	Field      string `json:"field,omitempty"`  // below status, its names joined by dots
	Equals     string `json:"equals,omitempty"` // what the field says
}

// Member is one of the store's.
type Member struct {
	Index   int    `json:"index"`
	Name    string `json:"name"`    // of its pod; without one, its address
	Address string `json:"address"` // host:port for clients
}

// File is a file of the run. Its content is in a ConfigMap of the run's own, under Name.
type File struct {
	Name      string `json:"name"` // what properties and the fields File call it
	ConfigMap string `json:"configMap"`
	Key       string `json:"key"`
	SHA256    string `json:"sha256"`
	Bytes     int    `json:"bytes"`
}

// Workload is one measurement on the store, in order.
type Workload struct {
	Name   string `json:"name"`
	Preset string `json:"preset,omitempty"` // A to F, or mixgraph
	// Properties are YCSB's core properties after preset and overrides.
	Properties map[string]string `json:"properties"`
	Records    int64             `json:"records"`
	// InsertBase is the key number of the measurement's first insert: above every key
	// that an earlier workload of this run can have inserted.
	InsertBase int64 `json:"insertBase"`
	// InsertStart and InsertCount are YCSB's: the part of the records that is loaded, and
	// asked for. An InsertCount of 0 is all from InsertStart on.
	InsertStart int64 `json:"insertStart,omitempty"`
	InsertCount int64 `json:"insertCount,omitempty"`
	// Reset says whether the store is emptied before loading; LoadFirst whether the
	// records are loaded at all (a workload without reset measures on what is there).
	Reset     bool `json:"reset"`
	LoadFirst bool `json:"loadFirst"`
	// LoadBatch is how many records a loader inserts with one request at most, where the store's
	// driver can.
	LoadBatch      int   `json:"loadBatch,omitempty"`
	DurationMillis int64 `json:"durationMillis,omitempty"`
	Operations     int64 `json:"operations,omitempty"`
	Load           Load  `json:"load"`
	// Clients are groups of threads with operations of their own, at the same time; none where all threads
	// make the mix of Properties. Load.Threads are those of all groups, and Properties have the mix of all.
	Clients []ClientGroup `json:"clients,omitempty"`
}

// ClientGroup is a group of threads with the same mix of operations, in each worker.
type ClientGroup struct {
	Name    string `json:"name"`
	Threads int    `json:"threads"`
	// Properties are YCSB's proportions of the operations.
	Properties map[string]string `json:"properties"`
}

// FewestConnections are the least that operations share where nobody says how many.
const FewestConnections = 16

// DefaultConnections is Load.Connections in an open loop where nobody says it.
func DefaultConnections(threads int) int { return max(FewestConnections, threads) }

// Load says how the workers drive the store.
type Load struct {
	Workers int `json:"workers"`
	// Threads are the concurrent clients of one worker in a closed loop and while loading.
	Threads int `json:"threads"`
	// Rate is in operations/s over all workers, the highest where it changes; 0 means a
	// closed loop.
	Rate float64 `json:"rate,omitempty"`
	// Shape says how the rate changes; nil if it doesn't.
	Shape    *Shape `json:"shape,omitempty"`
	Arrivals string `json:"arrivals,omitempty"` // ArrivalsPoisson, ArrivalsConstant or ArrivalsTrace
	// Trace is what is replayed with ArrivalsTrace. Rate is then what is due in its busiest
	// second.
	Trace *Trace `json:"trace,omitempty"`
	// MaxInFlight bounds the operations under way over all workers in an open loop.
	MaxInFlight int `json:"maxInFlight,omitempty"`
	// Connections is how many connections to each member the operations of one worker share in an open
	// loop; 0 gives each operation under way one of its own, as a thread of a closed loop has.
	Connections            int   `json:"connections,omitempty"`
	WarmupMillis           int64 `json:"warmupMillis"`
	CooldownMillis         int64 `json:"cooldownMillis"`
	OperationTimeoutMillis int64 `json:"operationTimeoutMillis"`
}

// Shape is a rate over time, from the end of the warm-up on. One of Segments and Sine is set.
type Shape struct {
	// File is where the segments come from, by its name in Plan.Files; empty if the run says
	// them itself.
	File string `json:"file,omitempty"`
	// Segments follow each other; the last rate holds after them.
	Segments []Segment `json:"segments,omitempty"`
	Sine     *Sine     `json:"sine,omitempty"`
}

// Segment is a time in which the rate goes evenly from one value to another, in
// operations/s; a step has two equal ones.
type Segment struct {
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	Millis int64   `json:"millis"`
}

// Sine is the rate mean + amplitude·sin(2π·t/period), in operations/s.
type Sine struct {
	Mean         float64 `json:"mean"`
	Amplitude    float64 `json:"amplitude"`
	PeriodMillis int64   `json:"periodMillis"`
}

// Values of Load.Arrivals.
const (
	ArrivalsPoisson  = "Poisson"
	ArrivalsConstant = "Constant"
	ArrivalsTrace    = "Trace"
)

// Trace is a file of requests that were recorded, to be made again at their times.
type Trace struct {
	File   string `json:"file"` // its name in Plan.Files, or on a command line without folders
	SHA256 string `json:"sha256"`
	Rows   int64  `json:"rows"`
	// Stretch makes every gap so many times as long.
	Stretch float64 `json:"stretch"`
	// LastMillis is when the last request is due that a number of operations leaves, from the first one on, after
	// stretching. A duration leaves it as it is. It is 0 on a command line, and in plans of older versions.
	LastMillis int64 `json:"lastMillis,omitempty"`
}

// Fault is one injection into the measurement of one workload.
type Fault struct {
	Name     string `json:"name"`
	Action   string `json:"action"` // a name in the catalog of faults
	Workload string `json:"workload"`
	Target   Target `json:"target"`
	// AtMillis counts from the end of the warm-up.
	AtMillis int64 `json:"atMillis"`
	// DurationMillis is how long a fault lasts, from its injection until it is healed; 0 of one that ends with its
	// injection.
	DurationMillis int64 `json:"durationMillis,omitempty"`
	// Parameters are what the action takes, a JSON object; nil where the run sets none.
	Parameters json.RawMessage `json:"parameters,omitempty"`
	// DeadlineMillis bounds the time from due to injected.
	DeadlineMillis int64 `json:"deadlineMillis"`
}

// Lasts is how long the fault lasts; 0 where it ends with its injection.
func (f *Fault) Lasts() time.Duration { return time.Duration(f.DurationMillis) * time.Millisecond }

// Target is resolved when the fault is due: by role, or a member's index.
type Target struct {
	Role   string `json:"role,omitempty"` // RoleLeader, RoleFollower, RoleAny; empty when Member is set
	Member *int   `json:"member,omitempty"`
}

// Values of Target.Role.
const (
	RoleLeader   = "Leader"
	RoleFollower = "Follower"
	RoleAny      = "Any"
)

// FindWorkload returns the workload of that name.
func (p *Plan) FindWorkload(name string) (*Workload, bool) {
	for i := range p.Workloads {
		if p.Workloads[i].Name == name {
			return &p.Workloads[i], true
		}
	}
	return nil, false
}

// FindFile returns the file of that name.
func (p *Plan) FindFile(name string) (*File, bool) {
	for i := range p.Files {
		if p.Files[i].Name == name {
			return &p.Files[i], true
		}
	}
	return nil, false
}

// ToLoad is how many records all loaders of the workload insert.
func (w *Workload) ToLoad() int64 {
	if w.InsertCount > 0 {
		return w.InsertCount
	}
	return w.Records - w.InsertStart
}
