package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BenchmarkSuiteStatus is how far the suite is.
type BenchmarkSuiteStatus struct {
	// observedGeneration is the generation of the spec that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// phase is a word for people; nothing reads it back.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Phase string `json:"phase,omitempty"`

	// conditions say where the suite stands: Accepted, Complete or Failed, Passed, Ready,
	// Reconciling or Stalled.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// specSHA256 is the digest of what the suite was accepted with, of all that can't be changed, in hexadecimal.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	SpecSHA256 string `json:"specSHA256,omitempty"`

	// seed that the order of the trials follows from: the spec's, or the one derived from the suite's UID.
	// +optional
	Seed int64 `json:"seed,omitempty"`

	// search is what the search found, in each combination of the axes, once it is over.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Search []FoundRates `json:"search,omitempty"`

	// combinations of the axes' values, without those that are excluded. A suite that searches has two of each.
	// +optional
	Combinations int32 `json:"combinations,omitempty"`

	// blocks is how many trials of each combination the suite makes before it looks at its figures the next
	// time, or ends. It is spec.trials.count, unless the suite has spec.trials.until.
	// +optional
	Blocks int32 `json:"blocks,omitempty"`

	// runs counts the trials.
	// +optional
	Runs *SuiteRuns `json:"runs,omitempty"`

	// run under way.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Run string `json:"run,omitempty"`

	// timeLeft is an estimate for the eye: the median time of the runs so far, for each that is left.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	TimeLeft string `json:"timeLeft,omitempty"`

	// report says where the suite's report is. It has all trials that have ended so far.
	// +optional
	Report *ReportReference `json:"report,omitempty"`

	// keptAs is the name under which the results server has kept the figures.
	// +optional
	KeptAs string `json:"keptAs,omitempty"`

	// baselines are what the suite is compared with, as they were when it was accepted.
	// +optional
	// +listType=map
	// +listMapKey=name
	Baselines []PinnedBaseline `json:"baselines,omitempty"`

	// startTime is when the suite was accepted.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime is when the last trial ended.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
}

// PinnedBaseline is a baseline as it was when a suite was accepted.
type PinnedBaseline struct {
	// name of spec.compare.baselines.
	Name string `json:"name"`
	// sha256 of the document.
	SHA256 string `json:"sha256"`
}

// SuiteRuns counts the trials of a suite. Each is one run, and those that take its place if its numbers are not valid.
type SuiteRuns struct {
	// total is combinations × trials.
	Total int32 `json:"total"`
	// done are the trials that have ended, whatever came out.
	Done int32 `json:"done"`
	// unusable are those of done that have no valid numbers: the run failed, or its numbers are not
	// valid, and so were all that took its place.
	Unusable int32 `json:"unusable"`
	// left are the trials that have not ended, with the one under way.
	Left int32 `json:"left"`
	// adopted are those of done whose run was made by an earlier suite of this name.
	// +optional
	Adopted int32 `json:"adopted,omitempty"`
	// repeated counts the runs that were made again.
	Repeated int32 `json:"repeated"`
}
