package v1alpha1

import "k8s.io/apimachinery/pkg/util/intstr"

// Objective is a bound that a figure of the report has to keep, such as a p99 of reads of at most 20 ms.
//
// +kubebuilder:validation:XValidation:rule="has(self.atMost) != has(self.atLeast)",message="an objective has atMost or atLeast"
// +kubebuilder:validation:XValidation:rule="self.metric == 'throughput' ? has(self.atLeast) : has(self.atMost)",message="throughput has a lower bound, atLeast; all other metrics have an upper one, atMost"
// +kubebuilder:validation:XValidation:rule="!has(self.operation) || self.metric in ['p50', 'p95', 'p99', 'p999']",message="operation is of a percentile: leave it out of other metrics"
// +kubebuilder:validation:XValidation:rule="!has(self.statistic) || self.metric == 'outage'",message="statistic is of outage: leave it out of other metrics"
type Objective struct {
	// metric is what is bounded: throughput (operations/s), errors (the part of the operations that did not
	// succeed), p50, p95, p99, p999 (response time in an open loop, service time in a closed one), outage
	// (by faults), recordsLost (by faults).
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self in ['throughput', 'errors', 'p50', 'p95', 'p99', 'p999', 'outage', 'recordsLost']",message="must be throughput, errors, p50, p95, p99, p999, outage or recordsLost"
	Metric string `json:"metric"`

	// operation whose percentile it is, by YCSB's name, such as READ. Default: each kind of operation.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self in ['READ', 'UPDATE', 'INSERT', 'SCAN', 'READ-MODIFY-WRITE', 'DELETE']",message="must be READ, UPDATE, INSERT, SCAN, READ-MODIFY-WRITE or DELETE"
	Operation string `json:"operation,omitempty"`

	// statistic of the outages of a workload's faults: max or median. Default: max.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self in ['max', 'median']",message="must be max or median"
	Statistic string `json:"statistic,omitempty"`

	// workload whose figure it is. Default: each workload that has it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=20
	Workload string `json:"workload,omitempty"`

	// atMost is the largest figure that keeps the objective: a length of time such as 20ms, a part of the
	// operations such as 0.1%, or a number of records.
	// +optional
	// +kubebuilder:validation:XValidation:rule="size(string(self)) <= 32",message="must have at most 32 characters, such as 20ms"
	// +kubebuilder:validation:XValidation:rule="type(self) == string || self >= 0 && self <= 2147483647",message="must be below 2147483648 and not below 0: write a larger number as a string"
	AtMost *intstr.IntOrString `json:"atMost,omitempty"`

	// atLeast is the smallest throughput that keeps the objective, in operations/s.
	// +optional
	// +kubebuilder:validation:XValidation:rule="size(string(self)) <= 32",message="must have at most 32 characters, such as 2000"
	// +kubebuilder:validation:XValidation:rule="type(self) == string || self >= 0 && self <= 2147483647",message="must be below 2147483648 and not below 0: write a larger number as a string"
	AtLeast *intstr.IntOrString `json:"atLeast,omitempty"`
}
