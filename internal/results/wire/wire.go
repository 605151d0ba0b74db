// Package wire holds the messages between the results server and its client, beside the bundle's own
// types. It has types and limits only.
package wire

import (
	"encoding/json"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

// MaxAppendBytes bounds the body of one append.
const MaxAppendBytes = 8 << 20

// MaxWait bounds one long poll, for a start or a report.
const MaxWait = 30 * time.Second

// Reason says, for a program, why a request was refused.
type Reason string

const (
	ReasonInvalid         Reason = "Invalid"
	ReasonUnauthenticated Reason = "Unauthenticated"
	ReasonForbidden       Reason = "Forbidden"
	ReasonNotFound        Reason = "NotFound"
	ReasonTooLarge        Reason = "TooLarge"
	ReasonFull            Reason = "Full"        // no room for a new run, or none on the disk
	ReasonUnavailable     Reason = "Unavailable" // the same request may succeed later
	ReasonMerging         Reason = "Merging"     // the report is being made: ask again
	ReasonInternal        Reason = "Internal"
	ReasonUnmergeable     Reason = "Unmergeable" // the bundle gives no report

	// The rest are conflicts with what the server holds.
	ReasonDiffers  Reason = "Differs"  // created once, with other content
	ReasonClaimed  Reason = "Claimed"  // another pod holds the claim
	ReasonOffset   Reason = "Offset"   // the file has another length
	ReasonEnded    Reason = "Ended"    // the file has its end mark
	ReasonDigest   Reason = "Digest"   // the end mark doesn't describe the file
	ReasonReported Reason = "Reported" // the run has its report, so its bundle is closed
	ReasonInUse    Reason = "InUse"    // what is to be deleted is still needed
)

// Problem is the body of every answer above 399. Length is the file's, where a file was
// asked for.
type Problem struct {
	Error  string `json:"error"`
	Reason Reason `json:"reason"`
	Length int64  `json:"length"`
}

// Time is the server's clock.
type Time struct {
	UnixNanos int64 `json:"unixNanos"`
}

// Version is the server's.
type Version struct {
	Version string `json:"version"` // "" where the program was built without one
}

// Length is the length of a file after an append.
type Length struct {
	Length int64 `json:"length"`
	// NearlyFull says that there is room for the end of a measurement alone: its last rows, end marks,
	// the report.
	NearlyFull bool `json:"nearlyFull,omitempty"`
}

// StartRequest asks for a start: at an instant, or so long after the server's now.
type StartRequest struct {
	StartUnixNanos int64 `json:"startUnixNanos,omitempty"`
	InMillis       int64 `json:"inMillis,omitempty"`
}

// SuiteNeed is what the runs of a suite would leave.
type SuiteNeed struct {
	Runs  int   `json:"runs"`
	Bytes int64 `json:"bytes"`
}

// AdoptionRequest asks what a suite can take over from an earlier one of the same name. The server keeps the manifest with its
// answer, and gives the same answer from then on.
type AdoptionRequest struct {
	Manifest json.RawMessage `json:"manifest"`
	// Fingerprints are those of the plans, by combination; "" where it isn't known.
	Fingerprints []string `json:"fingerprints"`
	// Seed is that of the suite's spec; nil if it has none.
	Seed *uint64 `json:"seed,omitempty"`
}

// PinRequest has the baselines that a suite is compared with, by name. Those that are pinned already stay as they are.
type PinRequest struct {
	Namespace string                 `json:"namespace"`
	Baselines map[string]BaselineAsk `json:"baselines"`
}

// BaselineAsk is a document, or says that the server has one of that name.
type BaselineAsk struct {
	Kept     bool   `json:"kept,omitempty"`
	Document []byte `json:"document,omitempty"`
}

// Pinned are a suite's baselines, by name.
type Pinned struct {
	Baselines map[string]PinnedBaseline `json:"baselines"`
}

// PinnedBaseline has a name for each combination: its labels, as people write them.
type PinnedBaseline struct {
	SHA256       string     `json:"sha256"` // of the document
	Combinations [][]string `json:"combinations"`
}

// KeepRequest asks to keep what a suite found, under a name of its namespace.
type KeepRequest struct {
	Name string `json:"name"`
}

// State is what the server holds of a run.
type State struct {
	UID       string                  `json:"uid"`
	Namespace string                  `json:"namespace"`
	ID        string                  `json:"id"`
	Files     []FileState             `json:"files"`
	Claims    []bundle.Claim          `json:"claims"`
	Starts    map[string]bundle.Start `json:"starts"` // by workload
	Reported  bool                    `json:"reported"`
}

// FileState is one streamed file.
type FileState struct {
	Name   string `json:"name"`
	Length int64  `json:"length"`
	Ended  bool   `json:"ended"`
}

// RecentSeconds bounds Live.Recent.
const RecentSeconds = 60

// Live is the newest whole second that all workers have sent of the workload that was started last. Without Recent there is none,
// and no figure is known.
type Live struct {
	Workload string `json:"workload"`
	// ElapsedSeconds are from the end of the warm-up to the begin of that second, and negative before it. Without such a second they
	// are to now.
	ElapsedSeconds int64 `json:"elapsedSeconds"`
	// AgeMillis is how long ago that second ended, on the server's clock.
	AgeMillis  int64 `json:"ageMillis"`
	Intended   int64 `json:"intended"`   // operations intended in that second; of a closed loop, those sent
	Throughput int64 `json:"throughput"` // successes that ended in that second
	// Ended is what ended lately; nil where it isn't known.
	Ended *LiveEnded `json:"ended,omitempty"`
	// Recent are the Throughput of that second, which is the last one, and of those just before it: RecentSeconds at most.
	Recent []int64 `json:"recent,omitempty"`
	// RecentErrors failed, or nobody knows how they ended. They are those of the operations that were intended in the seconds of
	// Recent, as far as they have ended.
	RecentErrors int64 `json:"recentErrors,omitempty"`
	// Term is the leader's, and Members are what the observer saw of them last, if that was a moment ago. They are told before a
	// workload begins, too.
	Term             uint64       `json:"term,omitempty"`
	Members          []LiveMember `json:"members,omitempty"`
	MembersAgeMillis int64        `json:"membersAgeMillis,omitempty"`
}

// LiveEnded is of the operations of all kinds that ended in the newest second of the clock of which all workers have sent all, whenever
// they were intended. An operation that fails by its timeout ends long after the second that it was intended in.
type LiveEnded struct {
	// AgeMillis is how long ago that second ended. It differs from Live's, for a worker writes two files.
	AgeMillis int64 `json:"ageMillis"`
	Errors    int64 `json:"errors"`    // failed, or of unknown outcome
	P99Micros int64 `json:"p99Micros"` // of the successes; 0 is none: nothing succeeded
	// Response says that P99Micros is of the response time, as in an open loop. Else it is of the service time.
	Response bool `json:"response"`
}

// LiveMember is a member of the store. Role is one of those of internal/stores. Up says that it answers, and knows a leader where
// there is one.
type LiveMember struct {
	Name string `json:"name"`
	Role string `json:"role"`
	Up   bool   `json:"up"`
}

// RunList are runs that the server keeps.
type RunList struct {
	Runs []RunSummary `json:"runs"`
}

// RunSummary is what a list shows of a run.
type RunSummary struct {
	UID       string `json:"uid"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Store     string `json:"store"`
	Mode      string `json:"mode"`
	Members   int    `json:"members"`
	Workloads int    `json:"workloads"`
	// StartedAtUnixNanos is when the workers of the first workload were told to begin; 0 before.
	StartedAtUnixNanos int64 `json:"startedAtUnixNanos"`
	Bytes              int64 `json:"bytes"` // of all that is kept
	Reported           bool  `json:"reported"`
	// Judgement is the report's; nil without one.
	Judgement *Judgement `json:"judgement,omitempty"`
}

// Judgement is what a report says of itself.
type Judgement struct {
	Valid          bool     `json:"valid"`
	InvalidReasons []string `json:"invalidReasons"` // each once, as words
	// Verdict says whether the objectives are kept; "" without objectives.
	Verdict string `json:"verdict,omitempty"`
}

// SuiteList are suites that the server keeps.
type SuiteList struct {
	Suites []SuiteSummary `json:"suites"`
}

// SuiteSummary is what a list shows of a suite.
type SuiteSummary struct {
	UID          string `json:"uid"`
	Namespace    string `json:"namespace"`
	Name         string `json:"name"`
	Combinations int    `json:"combinations"`
	// Trials, and how many of them have ended with valid numbers.
	Trials   int  `json:"trials"`
	Valid    int  `json:"valid"`
	Complete bool `json:"complete"`
}

// BaselineList are the baselines of a namespace.
type BaselineList struct {
	Baselines []BaselineSummary `json:"baselines"`
}

// BaselineSummary is what a list shows of a baseline.
type BaselineSummary struct {
	Name  string `json:"name"`
	Suite string `json:"suite"` // that it was made of
	// Combinations of its suite.
	Combinations int `json:"combinations"`
	// KeptAtUnixNanos is when it was kept, by the server's clock.
	KeptAtUnixNanos int64 `json:"keptAtUnixNanos"`
}
