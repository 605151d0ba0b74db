package v1alpha1

// CompareSpec is what a suite's report compares, and what the suite has to show.
type CompareSpec struct {
	// by is the name of the axis whose values are compared: each with the first one. Default: each axis.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	By string `json:"by,omitempty"`

	// growth names an axis whose values are numbers, such as those of members or of threads. The report says how the
	// throughput grows with it, by the Universal Scalability Law, from five values on.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	Growth string `json:"growth,omitempty"`

	// despite are fields in which runs that are compared may differ beside the axis, such as /store/promise.
	// Where they differ in others, the report names these and gives no ratio.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.all(d, d.startsWith('/'))",message="must be JSON pointers, such as /store/promise"
	Despite []string `json:"despite,omitempty"`

	// metrics that are compared. Default: all.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.all(m, m in ['throughput', 'errors', 'p50', 'p95', 'p99', 'p999', 'outage', 'recordsLost'])",message="must be of throughput, errors, p50, p95, p99, p999, outage and recordsLost"
	Metrics []string `json:"metrics,omitempty"`

	// baselines are what earlier suites found. Objectives compare with them. They are read when the suite is
	// accepted, and stay as they were then.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=4
	Baselines []KeptBaseline `json:"baselines,omitempty"`

	// objectives are bounds that figures have to keep. The condition Passed says whether they do, when all
	// trials have ended. With objectives, a suite that isn't Passed is not Ready.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Objectives []SuiteObjective `json:"objectives,omitempty"`
}

// KeptBaseline is what an earlier suite found: what one of this namespace kept under that name, or a file.
type KeptBaseline struct {
	// name that keepAs of the earlier suite has, or by which objectives call the file.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$')",message="must be lower-case letters, digits, and inner hyphens and dots, such as main"
	Name string `json:"name"`

	// configMapKeyRef is a key of a ConfigMap with the document baseline.json of a suite. It is read as the
	// service account of the runs. Default: what is kept under the name.
	// +optional
	ConfigMapKeyRef *ConfigMapKeyRef `json:"configMapKeyRef,omitempty"`
}

// SuiteObjective is an objective of some combinations of a suite.
//
// +kubebuilder:validation:XValidation:rule="!has(self.baseline) && !has(self.against) || !has(self.basis) || self.basis == 'Trials'",message="a ratio to a baseline is judged by trials: leave basis out"
// +kubebuilder:validation:XValidation:rule="!has(self.baseline) || !has(self.against)",message="baseline is a combination of this suite, and against is what another one found: leave one of them out"
type SuiteObjective struct {
	Objective `json:",inline"`

	// where are the values of some axes: the objective is for the combinations that have them. Default:
	// all combinations, and of a suite that searches those of the rates that hold.
	// +optional
	Where Combination `json:"where,omitempty"`

	// baseline are the values of some axes. Each combination is compared with the one that has these values,
	// and is alike in all else. The bound is then a part of the baseline's figure, such as 95%.
	// +optional
	Baseline Combination `json:"baseline,omitempty"`

	// against names one of baselines. Each combination is compared with the one of the baseline that has its
	// values. The bound is then a part of the baseline's figure, such as 105%.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Against string `json:"against,omitempty"`

	// basis of the verdict. Trials: the interval of the median over all trials, or of the ratio, has to be
	// within the bound. Run: the figure of each run has to be. Default: Trials.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self in ['Trials', 'Run']",message="must be Trials or Run"
	Basis string `json:"basis,omitempty"`
}
