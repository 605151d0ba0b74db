// Package bundle owns the file formats of a run's bundle. Workers, the observer and the controller write
// these files, the results server keeps them, and the report is computed from them.
//
// The package is pure: it has names, types and codecs. Files are append-only. Every instant in them is
// in nanoseconds of Unix time on the results server's clock. A writer estimates the offset of its own
// clock from that one, and records how far the estimate may be off.
package bundle

import (
	"fmt"
	"regexp"
)

// Names of single files.
const (
	PlanFile     = "plan.json"
	ClaimsFile   = "claims.jsonl"
	FaultsFile   = "faults.jsonl"
	ReportFile   = "report.json"
	MarkdownFile = "report.md"
	ChartsFile   = "charts.json"
	PageFile     = "report.html" // is made of the two JSON files, and kept nowhere
)

// Roles of a pod that writes.
const (
	RoleReset    = "reset"    // empties the store before a workload
	RoleLoad     = "load"     // loads the records of a workload
	RoleWorker   = "worker"   // measures
	RoleObserver = "observer" // samples the members
	RoleKubelet  = "kubelet"  // no pod: the controller, for what kubelets say of members
)

// Kinds of file, which are also the endings.
const (
	Hlog  = "hlog"  // HdrHistogram interval log 1.3
	Bins  = "bins"  // 10 ms bins, see Bin
	Jsonl = "jsonl" // SelfLine for reset, load and worker, TopologyLine for observer, UsageLine for kubelet
)

// Writer names the pod that wrote a file.
type Writer struct {
	Role     string `json:"role"`
	Workload string `json:"workload,omitempty"` // empty for the observer
	Index    int    `json:"index"`
	PodUID   string `json:"podUID"` // for RoleKubelet a name of the controller's process
}

// ofRun says that the writer is one of the whole run, not of a workload.
func (w Writer) ofRun() bool { return w.Role == RoleObserver || w.Role == RoleKubelet }

// File is the name of the writer's file of a kind, e.g.
// "worker-a-0-<uid>.hlog", "observer-<uid>.jsonl".
func (w Writer) File(kind string) string {
	if w.ofRun() {
		return fmt.Sprintf("%s-%s.%s", w.Role, w.PodUID, kind)
	}
	return fmt.Sprintf("%s-%s-%d-%s.%s", w.Role, w.Workload, w.Index, w.PodUID, kind)
}

const uid = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`

var (
	byWorker = regexp.MustCompile(`^(reset|load|worker)-([a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?)-([0-9]{1,3})-(` + uid + `)\.(hlog|bins|jsonl)$`)
	byRun    = regexp.MustCompile(`^(observer|kubelet)-(` + uid + `)\.(jsonl)$`)
)

// ParseFile takes a streamed file's name apart. ok is false for any other name, so it
// also guards the server against paths.
func ParseFile(name string) (w Writer, kind string, ok bool) {
	if m := byRun.FindStringSubmatch(name); m != nil {
		return Writer{Role: m[1], PodUID: m[2]}, m[3], true
	}
	m := byWorker.FindStringSubmatch(name)
	if m == nil {
		return Writer{}, "", false
	}
	index := 0
	for _, digit := range m[3] {
		index = index*10 + int(digit-'0')
	}
	return Writer{Role: m[1], Workload: m[2], Index: index, PodUID: m[4]}, m[5], true
}

// StartFile is the name of the file that holds a workload's Start.
func StartFile(workload string) string { return "start-" + workload + ".json" }

// EndFile is the name of the end mark of a file.
func EndFile(name string) string { return name + ".end" }

// Start is the moment at which all workers of a workload begin (the warm-up).
type Start struct {
	StartUnixNanos int64 `json:"startUnixNanos"`
}

// End says that a file is complete.
type End struct {
	Length int64  `json:"length"`
	SHA256 string `json:"sha256"` // hex
}

// Claim is one pod's claim of its role, workload and index; the first one holds.
type Claim struct {
	Writer
	Pod         string `json:"pod"`
	AtUnixNanos int64  `json:"atUnixNanos"`
}
