package v1alpha1

// SuiteSearch is a search for the highest rate at which objectives are kept. It begins with the lowest rate and doubles it, until
// objectives are missed; then it halves the interval between the highest rate that kept them and the lowest that didn't.
//
// +kubebuilder:validation:XValidation:rule="(has(self.from) ? self.from : 100) <= self.upTo",message="upTo must be at least from, which is 100 by default"
type SuiteSearch struct {
	// from is the first rate and the lowest, in operations per second over all workers. Default: 100.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	From *int64 `json:"from,omitempty"`

	// upTo is the highest rate that is tried.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	UpTo int64 `json:"upTo"`

	// precision is how far the two rates that are found may be from each other, as a part of the lower one.
	// Default: 5%.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]{1,2}([.][0-9]{1,3})?%$') && self.matches('[1-9]')",message="must be a part in percent, above 0 and below 100, such as 5%"
	Precision string `json:"precision,omitempty"`

	// objectives that a run has to keep, by its own figures.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Objectives []Objective `json:"objectives"`
}

// FoundRates are what a search found in one combination of the axes.
type FoundRates struct {
	// combination names the values of the axes.
	// +kubebuilder:validation:MaxLength=1024
	Combination string `json:"combination"`
	// holds is the highest rate at which the objectives were kept, below the lowest at which they weren't. It is not
	// there if there was none.
	// +optional
	Holds *int64 `json:"holds,omitempty"`
	// misses is the lowest rate at which they weren't kept. It is not there if they were kept up to upTo.
	// +optional
	Misses *int64 `json:"misses,omitempty"`
	// tried are all rates, in the order in which they were tried.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Tried []TriedRate `json:"tried,omitempty"`
	// why the search ended before it was as precise as it was to be.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Why string `json:"why,omitempty"`
}

// TriedRate is a rate that a search tried.
type TriedRate struct {
	// rate in operations per second over all workers.
	Rate int64 `json:"rate"`
	// kept says whether the objectives were kept.
	// +optional
	Kept bool `json:"kept,omitempty"`
	// run is the name of the BenchmarkRun that tried the rate.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Run string `json:"run,omitempty"`
	// uid is that of the run.
	// +optional
	// +kubebuilder:validation:MaxLength=36
	UID string `json:"uid,omitempty"`
}
