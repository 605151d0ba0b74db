package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// BenchmarkSuite makes BenchmarkRuns of all combinations of its axes. It makes each combination once in
// a block, in random order, and as many blocks as there are trials.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=bms;benchsuite,categories=kvbench
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Trials",type=integer,JSONPath=`.status.runs.total`
// +kubebuilder:printcolumn:name="Done",type=integer,JSONPath=`.status.runs.done`
// +kubebuilder:printcolumn:name="Unusable",type=integer,JSONPath=`.status.runs.unusable`
// +kubebuilder:printcolumn:name="Left",type=integer,JSONPath=`.status.runs.left`
// +kubebuilder:printcolumn:name="Passed",type=string,JSONPath=`.status.conditions[?(@.type=="Passed")].status`
// +kubebuilder:printcolumn:name="Time left",type=string,JSONPath=`.status.timeLeft`
// +kubebuilder:printcolumn:name="Run",type=string,JSONPath=`.status.run`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Reason",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="the name of a suite has at most 63 characters: it is a label of its runs"
type BenchmarkSuite struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec says what to run.
	// +required
	Spec BenchmarkSuiteSpec `json:"spec"`

	// status says how far the suite is.
	// +optional
	Status BenchmarkSuiteStatus `json:"status,omitempty"`
}

// BenchmarkSuiteList is a list of BenchmarkSuites.
//
// +kubebuilder:object:root=true
type BenchmarkSuiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BenchmarkSuite `json:"items"`
}

// BenchmarkSuiteSpec is what to run. Only trials, maxRuns and suspend can be changed. The API server refuses most other
// changes. Those of the template and of patches that it can't see stop the suite.
//
// +kubebuilder:validation:XValidation:rule="self.template == oldSelf.template",message="template cannot be changed: what was measured is of the old one; create another suite"
// +kubebuilder:validation:XValidation:rule="has(self.axes) == has(oldSelf.axes) && (!has(self.axes) || self.axes == oldSelf.axes)",message="axes cannot be changed: what was measured is of the old ones; create another suite"
// +kubebuilder:validation:XValidation:rule="has(self.exclude) == has(oldSelf.exclude) && (!has(self.exclude) || self.exclude == oldSelf.exclude)",message="exclude cannot be changed: create another suite"
// +kubebuilder:validation:XValidation:rule="has(self.compare) == has(oldSelf.compare) && (!has(self.compare) || self.compare == oldSelf.compare)",message="compare cannot be changed: who asks again when the figures are known finds what he wants; create another suite"
// +kubebuilder:validation:XValidation:rule="has(self.seed) == has(oldSelf.seed) && (!has(self.seed) || self.seed == oldSelf.seed)",message="seed cannot be changed: the order of the trials follows from it; create another suite"
// +kubebuilder:validation:XValidation:rule="has(self.retries) == has(oldSelf.retries) && (!has(self.retries) || self.retries == oldSelf.retries)",message="retries cannot be changed: only trials, maxRuns and suspend can"
// +kubebuilder:validation:XValidation:rule="has(self.keepAs) == has(oldSelf.keepAs) && (!has(self.keepAs) || self.keepAs == oldSelf.keepAs)",message="keepAs cannot be changed: who knows the figures may not choose what others are compared with; create another suite"
// +kubebuilder:validation:XValidation:rule="has(self.search) == has(oldSelf.search) && (!has(self.search) || self.search == oldSelf.search)",message="search cannot be changed: what was found is of the old one; create another suite"
// +kubebuilder:validation:XValidation:rule="!has(self.search) || !(has(self.adopt) && self.adopt) && !(has(self.reuse) && self.reuse == 'Store') && !(has(self.trials) && has(self.trials.until))",message="a suite that searches decides by its own runs which rates to try: leave adopt, reuse and trials.until out"
// +kubebuilder:validation:XValidation:rule="has(self.reuse) == has(oldSelf.reuse) && (!has(self.reuse) || self.reuse == oldSelf.reuse)",message="reuse cannot be changed: what was measured is on stores of the old kind; create another suite"
// +kubebuilder:validation:XValidation:rule="has(self.adopt) == has(oldSelf.adopt) && (!has(self.adopt) || self.adopt == oldSelf.adopt)",message="adopt cannot be changed: runs are taken over when the suite begins; delete the suite, and apply it again"
// +kubebuilder:validation:XValidation:rule="!has(self.compare) || !has(self.compare.objectives) || (has(self.trials) && has(self.trials.count) ? self.trials.count : 8) >= (has(oldSelf.trials) && has(oldSelf.trials.count) ? oldSelf.trials.count : 8)",message="trials.count of a suite with objectives can't be lowered: its verdict would be of the trials that somebody chose"
// +kubebuilder:validation:XValidation:rule="(has(self.trials) && has(self.trials.until)) == (has(oldSelf.trials) && has(oldSelf.trials.until)) && (!has(self.trials) || !has(self.trials.until) || self.trials == oldSelf.trials)",message="trials.until, min and max cannot be changed, for the looks at the figures are planned before there are any: create another suite"
type BenchmarkSuiteSpec struct {
	// template of the runs.
	// +required
	Template RunTemplate `json:"template"`

	// axes are what differs from run to run. The suite runs all combinations of their values.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Axes []SuiteAxis `json:"axes,omitempty"`

	// exclude leaves combinations out: each entry names the values of some axes, and leaves out all
	// combinations that have them.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Exclude []Combination `json:"exclude,omitempty"`

	// search finds the highest rate at which objectives are kept, in each combination of the axes. The trials are then
	// of two rates: the highest at which they were kept, and the lowest above it at which they weren't.
	// +optional
	Search *SuiteSearch `json:"search,omitempty"`

	// compare says what is compared, and what the suite has to show.
	// +optional
	Compare *CompareSpec `json:"compare,omitempty"`

	// trials say how often each combination is run.
	// +optional
	Trials TrialsSpec `json:"trials,omitempty"`

	// retries bounds how often a trial is made again whose numbers are not valid by the generator's or the
	// infrastructure's fault. All attempts are kept. Default: 2.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10
	Retries *int32 `json:"retries,omitempty"`

	// adopt takes over the runs that an earlier suite of this name and namespace has finished, and that
	// measured what this one is to measure. They aren't made again. So a suite that was deleted half-way goes
	// on where it was. What the results server no longer keeps is measured again.
	// +optional
	Adopt bool `json:"adopt,omitempty"`

	// keepAs is a name under which the results server keeps the figures, as a baseline that later suites of the
	// namespace can be compared with. It keeps them when all trials have ended, each combination has valid
	// numbers, and the objectives are kept, if there are some. They take the place of what had the name.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$')",message="must be lower-case letters, digits, and inner hyphens and dots, such as main"
	KeepAs string `json:"keepAs,omitempty"`

	// reuse says which runs share a store. None: each run has one of its own. Store: the combinations of a block that
	// differ in workloads and load alone are measured one after the other on one store, in random order. The store
	// is emptied before each. Combinations with faults have stores of their own. Default: None.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self in ['None', 'Store']",message="must be None or Store"
	Reuse string `json:"reuse,omitempty"`

	// maxRuns bounds combinations × trials and the rates that a search may try, so that nobody starts a thousand runs by a slip of an
	// axis. Default: 200.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	MaxRuns *int32 `json:"maxRuns,omitempty"`

	// seed of the order of the combinations in each block, and of the runs: those of one block have one
	// seed. Default: derived from the suite's UID. The status records it.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Seed *int64 `json:"seed,omitempty"`

	// suspend begins no further run. The one under way goes on to its end.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
}

// RunTemplate is what the runs of a suite have in common.
type RunTemplate struct {
	// spec of a BenchmarkRun. What the axes set may be left out. Each combination is checked as a whole
	// before the first run.
	// +required
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Spec apiextensionsv1.JSON `json:"spec"`
}

// SuiteAxis is one thing that differs from run to run: the value of one field, or named changes of any.
//
// +kubebuilder:validation:XValidation:rule="has(self.cases) != has(self.path)",message="an axis has a path and values, or cases"
type SuiteAxis struct {
	// name of the axis.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$')",message="must begin with a lower-case letter, and have letters, digits and inner hyphens, such as rate"
	Name string `json:"name"`

	// path of the field that takes the values, as a JSON pointer (RFC 6901) into the run's spec, such
	// as /load/rate.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.startsWith('/')",message="must be a JSON pointer into the run's spec, such as /load/rate"
	Path string `json:"path,omitempty"`

	// values of the field.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Values []apiextensionsv1.JSON `json:"values,omitempty"`

	// cases are changes with a name each.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Cases []SuiteCase `json:"cases,omitempty"`
}

// SuiteCase is a change of the run's spec.
type SuiteCase struct {
	// name of the case.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9]([-._a-zA-Z0-9]*[a-zA-Z0-9])?$')",message="must be letters, digits, and inner hyphens, dots and underscores, such as etcd"
	Name string `json:"name"`

	// patch is a merge patch (RFC 7396) of the run's spec: what it has replaces what is there, and null
	// removes it. A list is replaced as a whole.
	// +optional
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Patch *apiextensionsv1.JSON `json:"patch,omitempty"`
}

// Combination is the value of each of some axes: the name of a case, or the value itself. What is no integer is written as a
// string, such as "true" or "0.5".
//
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=8
// +kubebuilder:validation:XValidation:rule="self.all(k, type(self[k]) == string ? size(self[k]) <= 63 : self[k] >= -2147483648 && self[k] <= 2147483647)",message="values have at most 63 characters, and integers at most 31 bits: write a larger number as a string"
type Combination map[string]intstr.IntOrString

// TrialsSpec says how often each combination is run: a number, or until a figure is known well enough.
//
// +kubebuilder:validation:XValidation:rule="has(self.min) == has(self.until) && has(self.max) == has(self.until)",message="min, max and until go together: set all three, or count alone"
// +kubebuilder:validation:XValidation:rule="!has(self.count) || !has(self.until)",message="count is a number of trials, and until says that it isn't known yet: leave one of them out"
// +kubebuilder:validation:XValidation:rule="!has(self.min) || !has(self.max) || self.min <= self.max",message="min must be at most max"
type TrialsSpec struct {
	// min is the number of trials of each combination after which the suite looks for the first time whether
	// it knows enough. Each further look is after half as many more. With four looks, as from 8 to 24, it must be 8 or more.
	// +optional
	// +kubebuilder:validation:Minimum=6
	// +kubebuilder:validation:Maximum=1000
	Min *int32 `json:"min,omitempty"`

	// max is the number of trials at which the suite ends, whatever it knows.
	// +optional
	// +kubebuilder:validation:Minimum=6
	// +kubebuilder:validation:Maximum=1000
	Max *int32 `json:"max,omitempty"`

	// until says what the suite has to know.
	// +optional
	Until *TrialsUntil `json:"until,omitempty"`

	// count of the trials of each combination. Fewer than 6 give no interval. Default: 8.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Count *int32 `json:"count,omitempty"`
}

// TrialsUntil is how well a figure has to be known.
//
// +kubebuilder:validation:XValidation:rule="!has(self.operation) || self.metric in ['p50', 'p95', 'p99', 'p999']",message="operation is for percentiles: leave it out"
type TrialsUntil struct {
	// metric of reports: throughput, p50, p95, p99 or p999.
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self in ['throughput', 'p50', 'p95', 'p99', 'p999']",message="must be throughput, p50, p95, p99 or p999"
	Metric string `json:"metric"`

	// operation of a percentile, such as READ. Default: each kind.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self in ['READ', 'UPDATE', 'INSERT', 'SCAN', 'DELETE', 'READ-MODIFY-WRITE']",message="must be READ, UPDATE, INSERT, SCAN, DELETE or READ-MODIFY-WRITE"
	Operation string `json:"operation,omitempty"`

	// halfWidth is how far the ends of the interval may be from its middle, as a part of it, such as 5%: of
	// each ratio that the suite compares, or of each median where it compares none.
	// +required
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]{1,2}([.][0-9]{1,3})?%$') && self.matches('[1-9]')",message="must be a part in percent, above 0 and below 100, such as 5%"
	HalfWidth string `json:"halfWidth"`
}
