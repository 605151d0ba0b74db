package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Conditions of a BenchmarkRun.
const (
	ConditionAccepted    = "Accepted"    // the spec makes sense, and it is this run's turn
	ConditionStoreReady  = "StoreReady"  // all members are ready, and a leader is known
	ConditionReported    = "Reported"    // the report is stored
	ConditionCleanedUp   = "CleanedUp"   // nothing that the run created is left
	ConditionComplete    = "Complete"    // the end, with a report
	ConditionFailed      = "Failed"      // the end, without one that can be used
	ConditionValid       = "Valid"       // may these numbers be believed?
	ConditionPassed      = "Passed"      // are all objectives kept? Only where there are some
	ConditionKept        = "Kept"        // has the results server a suite's figures under the name of keepAs?
	ConditionReady       = "Ready"       // Complete and Valid, and Passed where there are objectives
	ConditionReconciling = "Reconciling" // kstatus: under way
	ConditionStalled     = "Stalled"     // kstatus: failed
)

// Conditions of a workload in status.workloads.
const (
	ConditionStoreWhole   = "StoreWhole" // only after a workload with faults
	ConditionLoaded       = "Loaded"
	ConditionArmed        = "Armed"
	ConditionMeasured     = "Measured"
	ConditionFaultsHealed = "FaultsHealed"
)

// BenchmarkRunStatus is how far the run is, and what it found.
type BenchmarkRunStatus struct {
	// observedGeneration is the generation of the spec that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// phase is a word for people; nothing reads it back.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Phase string `json:"phase,omitempty"`

	// conditions say where the run stands: Accepted, StoreReady, Reported, CleanedUp,
	// Complete or Failed, Valid, Passed, Ready, Reconciling or Stalled.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// planSHA256 is the digest of the plan that the run was admitted with, in hexadecimal.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	PlanSHA256 string `json:"planSHA256,omitempty"`

	// mode that the store is driven in: the spec's, or the catalog's default.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Mode string `json:"mode,omitempty"`

	// workload whose turn it is; once there is a summary, the one that it speaks of.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Workload string `json:"workload,omitempty"`

	// workloads say how far each workload is, and what it found.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Workloads []WorkloadStatus `json:"workloads,omitempty"`

	// faults hold each injection: its intent is written here before it is made.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Faults []FaultStatus `json:"faults,omitempty"`

	// startTime is when the run got its turn.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime is when the run ended.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// progress of the measurement under way.
	// +optional
	Progress *Progress `json:"progress,omitempty"`

	// summary of the report, with the figures of its worst workload. Those of each are in
	// workloads.
	// +optional
	Summary *Summary `json:"summary,omitempty"`

	// invalidReasons are all reasons for which the numbers may not be believed, each once, as words such as
	// GeneratorLag. The report has a sentence for each. The condition Valid has the first.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=64
	InvalidReasons []string `json:"invalidReasons,omitempty"`

	// report says where the report is.
	// +optional
	Report *ReportReference `json:"report,omitempty"`
}

// WorkloadStatus is how far a workload is.
type WorkloadStatus struct {
	// name of the workload.
	// +kubebuilder:validation:MaxLength=32
	Name string `json:"name"`
	// conditions: StoreWhole (after a workload with faults), Loaded, Armed, Measured,
	// FaultsHealed.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// startedAtUnixNanos is the moment that the workers were told to begin their warm-up,
	// on the results server's clock.
	// +optional
	StartedAtUnixNanos int64 `json:"startedAtUnixNanos,omitempty"`
	// load is how the loading of the records went.
	// +optional
	Load *LoadResult `json:"load,omitempty"`
	// invalidReasons are why the workload's numbers may not be believed: its own reasons and those of the whole
	// run, once there is a report.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=64
	InvalidReasons []string `json:"invalidReasons,omitempty"`
	// summary of its measurement. It is not there where nothing could be merged.
	// +optional
	Summary *WorkloadSummary `json:"summary,omitempty"`
}

// LoadResult is how the loading of records went.
type LoadResult struct {
	// records that were loaded.
	Records int64 `json:"records"`
	// durationMillis of the loading.
	DurationMillis int64 `json:"durationMillis"`
	// throughput in records/s.
	Throughput int64 `json:"throughput"`
	// valid says whether these figures may be believed; the report has the reasons.
	// +optional
	Valid bool `json:"valid"`
}

// Progress of the measurement under way. It is written again when done changes.
type Progress struct {
	// workload that is measured.
	// +kubebuilder:validation:MaxLength=32
	Workload string `json:"workload"`
	// done is for the eye: warm-up, the percentage of the duration, or the minutes so far where
	// the end isn't known; and what happened last to a fault.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Done string `json:"done,omitempty"`
	// elapsedSeconds since the end of the warm-up; negative before it.
	ElapsedSeconds int64 `json:"elapsedSeconds"`
	// percent of the duration. It is not there where the measurement ends after so many operations.
	// +optional
	Percent *int32 `json:"percent,omitempty"`
}

// Summary of the report.
type Summary struct {
	// workload whose figures these are, the worst: that of whose operations the largest share did
	// not succeed, and of equal ones that with the longest p99.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Workload        string `json:"workload,omitempty"`
	WorkloadSummary `json:",inline"`
	// outage is the longest one of all faults, for the eye; ">" begins a lower bound.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Outage string `json:"outage,omitempty"`
	// faults and the outages they caused.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Faults []FaultSummary `json:"faults,omitempty"`
}

// WorkloadSummary is what the measurement of a workload found.
type WorkloadSummary struct {
	// throughput in operations/s: the successes that ended in the measurement.
	Throughput int64 `json:"throughput"`
	// operations that succeeded.
	Operations int64 `json:"operations"`
	// errors are operations that failed or whose outcome is unknown.
	Errors int64 `json:"errors"`
	// p99 of the operation with the longest one, for the eye; ">" begins a lower bound.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	P99 string `json:"p99,omitempty"`
	// latenciesCensored says that operations waited for a slot until the end: all of the latencies
	// are lower bounds.
	// +optional
	LatenciesCensored bool `json:"latenciesCensored,omitempty"`
	// latencies of successful operations: response time in an open loop, service time
	// in a closed one.
	// +optional
	// +listType=map
	// +listMapKey=operation
	// +kubebuilder:validation:MaxItems=8
	Latencies []Latency `json:"latencies,omitempty"`
}

// Latency of an operation.
type Latency struct {
	// operation by YCSB's name.
	// +kubebuilder:validation:MaxLength=32
	Operation string `json:"operation"`
	// p50Micros is the median in microseconds.
	P50Micros int64 `json:"p50Micros"`
	// p95Micros is the 95th percentile in microseconds.
	P95Micros int64 `json:"p95Micros"`
	// p99Micros is the 99th percentile in microseconds.
	P99Micros int64 `json:"p99Micros"`
}

// ReportReference says where the report is.
type ReportReference struct {
	// location is the run's path at the results server: /v1/runs/UID, or the suite's: /v1/suites/UID.
	// +kubebuilder:validation:MaxLength=512
	Location string `json:"location"`
	// url of the report inside the cluster.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	URL string `json:"url,omitempty"`
}
