package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BenchmarkRun deploys a store, drives it with workloads, injects faults, and leaves a
// report. It runs once: its spec cannot be changed, and deleting it cancels it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=bmr;benchrun,categories=kvbench
// +kubebuilder:printcolumn:name="Store",type=string,JSONPath=`.spec.store.name`
// +kubebuilder:printcolumn:name="Nodes",type=integer,JSONPath=`.spec.store.nodes`
// +kubebuilder:printcolumn:name="Workload",type=string,JSONPath=`.status.workload`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Progress",type=string,JSONPath=`.status.progress.done`
// +kubebuilder:printcolumn:name="Valid",type=string,JSONPath=`.status.conditions[?(@.type=="Valid")].status`
// +kubebuilder:printcolumn:name="Ops/s",type=integer,JSONPath=`.status.summary.throughput`
// +kubebuilder:printcolumn:name="p99",type=string,JSONPath=`.status.summary.p99`
// +kubebuilder:printcolumn:name="Outage",type=string,JSONPath=`.status.summary.outage`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Mode",type=string,priority=1,JSONPath=`.status.mode`
// +kubebuilder:printcolumn:name="Errors",type=integer,priority=1,JSONPath=`.status.summary.errors`
// +kubebuilder:printcolumn:name="Passed",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Passed")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
type BenchmarkRun struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec says what to run.
	// +required
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="spec cannot be changed: a run is done once; delete this BenchmarkRun and create another"
	Spec BenchmarkRunSpec `json:"spec"`

	// status says how far the run is, and what it found.
	// +optional
	Status BenchmarkRunStatus `json:"status,omitempty"`
}

// BenchmarkRunList is a list of BenchmarkRuns.
//
// +kubebuilder:object:root=true
type BenchmarkRunList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BenchmarkRun `json:"items"`
}

// BenchmarkRunSpec is what to run.
//
// +kubebuilder:validation:XValidation:rule="!has(self.faults) || self.faults.all(f, !has(f.workload) || self.workloads.exists(w, w.name == f.workload))",message="faults[].workload must be the name of an entry of workloads: correct it, or leave it out for the first"
// +kubebuilder:validation:XValidation:rule="!has(self.faults) || self.faults.all(f, !self.workloads.exists(w, w.name == (has(f.workload) ? f.workload : self.workloads[0].name) && (has(w.operations) || has(w.trace) && !has(w.duration))))",message="a fault needs a workload with a duration, for with operations, or a trace alone, the end isn't known: set workloads[].duration, and no workloads[].operations"
// +kubebuilder:validation:XValidation:rule="!has(self.faults) || !self.faults.all(f, f.at.matches('^([0-9]{1,5}([.][0-9]{1,3})?(h|m|s)|[0-9]{1,8}ms)+$')) || !self.workloads.all(w, !has(w.duration) || w.duration.matches('^([0-9]{1,5}([.][0-9]{1,3})?(h|m|s)|[0-9]{1,8}ms)+$')) || self.faults.all(f, self.workloads.all(w, w.name != (has(f.workload) ? f.workload : self.workloads[0].name) || has(w.operations) || duration(f.at) + duration('10s') <= duration(has(w.duration) ? w.duration : '60s')))",message="faults[].at must be at least 10s before the end of its workload's duration (default 60s), or the recovery can't be seen: lower faults[].at or raise workloads[].duration"
// +kubebuilder:validation:XValidation:rule="!has(self.faults) || self.faults.all(f, !has(f.target) || !has(f.target.member) || f.target.member < self.store.nodes)",message="faults[].target.member counts from 0 and must be below store.nodes: lower it, or raise store.nodes"
// +kubebuilder:validation:XValidation:rule="!has(self.faults) || size(self.faults) == 0 || !has(self.store.endpoints) || has(self.store.allowFaults) && self.store.allowFaults",message="faults would hit endpoints, which aren't this run's: set store.allowFaults to true, or leave faults out"
// +kubebuilder:validation:XValidation:rule="!has(self.faults) || size(self.faults) == 0 || !has(self.store.endpoints) || self.store.endpoints.all(e, has(e.pod))",message="faults hit pods: name store.endpoints[].pod for each endpoint, or leave faults out"
// +kubebuilder:validation:XValidation:rule="!has(self.store.endpoints) || !has(self.retain) || self.retain == 'Never'",message="store.endpoints are never removed: leave retain out"
// +kubebuilder:validation:XValidation:rule="!has(self.load) || !has(self.load.rate) && !has(self.load.rateShape) || !self.workloads.exists(w, has(w.trace))",message="workloads[].trace has a time for each request: leave load.rate and load.rateShape out"
// +kubebuilder:validation:XValidation:rule="!has(self.load) || !has(self.load.arrivals) || has(self.load.rate) || has(self.load.rateShape) || self.workloads.exists(w, has(w.load) && (has(w.load.rate) || has(w.load.rateShape)))",message="load.arrivals needs a rate: without one the load is a closed loop",fieldPath=".load.arrivals"
// +kubebuilder:validation:XValidation:rule="!has(self.load) || !has(self.load.connections) || has(self.load.rate) || has(self.load.rateShape) || self.workloads.exists(w, has(w.trace) || has(w.load) && (has(w.load.rate) || has(w.load.rateShape)))",message="load.connections needs a rate or a trace: without one the load is a closed loop, each thread of which has connections of its own"
// +kubebuilder:validation:XValidation:rule="!has(self.load) || !has(self.load.maxInFlight) || has(self.load.rate) || has(self.load.rateShape) || self.workloads.exists(w, has(w.trace) || has(w.load) && (has(w.load.rate) || has(w.load.rateShape)))",message="load.maxInFlight needs a rate or a trace: without one the load is a closed loop of workers × threads"
// +kubebuilder:validation:XValidation:rule="!has(self.placement) || !has(self.placement.members) || !has(self.store.endpoints) && !has(self.store.chart)",message="placement.members is for stores of the catalog: endpoints run already, and a chart has values of its own for it: leave placement.members out"
// +kubebuilder:validation:XValidation:rule="!has(self.placement) || !has(self.placement.workers) || !has(self.placement.workers.toMembers) || !has(self.store.endpoints) && !has(self.store.chart)",message="placement.workers.toMembers is for stores of the catalog: kvbench doesn't know which pods are the members' otherwise; leave it out, and use placement.workers.nodeSelector"
type BenchmarkRunSpec struct {
	// store is the store under test.
	// +required
	Store StoreSpec `json:"store"`

	// workloads run one after the other on the same deployment.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Workloads []WorkloadSpec `json:"workloads"`

	// load says how the workers drive the store, in all workloads whose own load says nothing else.
	// +optional
	Load LoadSpec `json:"load,omitempty"`

	// faults are injected while a workload is measured.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Faults []FaultSpec `json:"faults,omitempty"`

	// objectives are bounds that figures of the report have to keep. The condition Passed says whether
	// they do. With objectives, a run that isn't Passed is not Ready.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Objectives []Objective `json:"objectives,omitempty"`

	// placement says on which nodes of Kubernetes members and workers are.
	// +optional
	Placement *PlacementSpec `json:"placement,omitempty"`

	// imagePullSecrets are the Secrets of the run's namespace with which the images of the catalog's stores,
	// and of the load generator, are pulled.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	ImagePullSecrets []PullSecret `json:"imagePullSecrets,omitempty"`

	// serviceAccountName is the service account of the run's namespace with whose rights
	// Helm deploys the store, the run's files are read, and faults may hit store.endpoints.
	// Default: kvbench-deployer.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="must be lower-case letters, digits, inner hyphens and dots, such as bench"
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// retain says when the store is kept after the run: Never, OnFailure or Always. Default: Never.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self in ['Never', 'OnFailure', 'Always']",message="must be Never, OnFailure or Always"
	Retain RetainPolicy `json:"retain,omitempty"`

	// seed of everything random. Default: derived from the run's UID; the plan and the
	// report record it.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Seed *int64 `json:"seed,omitempty"`

	// timeouts bound the steps.
	// +optional
	Timeouts TimeoutsSpec `json:"timeouts,omitempty"`
}

// RetainPolicy says when a store is kept after its run.
type RetainPolicy string

// The retain policies.
const (
	RetainNever     RetainPolicy = "Never"
	RetainOnFailure RetainPolicy = "OnFailure"
	RetainAlways    RetainPolicy = "Always"
)

// TimeoutsSpec bounds the steps of a run.
type TimeoutsSpec struct {
	// deploy bounds the time from the Helm install, or from the first look at store.endpoints,
	// until all members are ready; and the time after a workload with faults until all are well
	// again, before the next one begins. Default: 10m.
	// +optional
	Deploy Duration `json:"deploy,omitempty"`
	// load bounds the loading of one workload's records, and in the same way the removal of
	// earlier ones. Default: 30m.
	// +optional
	Load Duration `json:"load,omitempty"`
	// collect bounds the merging of the results, and for how long a worker tries to ship its
	// own. Default: 5m; the merging has 10s more for each hour of each worker.
	// +optional
	Collect Duration `json:"collect,omitempty"`
	// teardown bounds the removal of everything the run created; it is 30s at least. Default: 5m.
	// +optional
	Teardown Duration `json:"teardown,omitempty"`
}
