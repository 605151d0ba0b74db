package v1alpha1

// WorkloadSpec is one measurement.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.duration) && has(self.operations))",message="set duration or operations, not both"
// +kubebuilder:validation:XValidation:rule="has(self.preset) || has(self.properties) || has(self.trace) || has(self.clients)",message="set preset (A to F), properties that say the mix, clients, or a trace"
// +kubebuilder:validation:XValidation:rule="!has(self.trace) || !has(self.preset)",message="trace has the operations and their keys: leave preset out"
// +kubebuilder:validation:XValidation:rule="!has(self.trace) || !has(self.properties) || !['readproportion', 'updateproportion', 'insertproportion', 'scanproportion', 'readmodifywriteproportion', 'deleteproportion', 'requestdistribution'].exists(p, p in self.properties)",message="trace has the operations and their keys: leave the proportions and requestdistribution out of properties"
// +kubebuilder:validation:XValidation:rule="!has(self.fieldLengthHistogram) || !has(self.properties) || !('fieldlengthdistribution' in self.properties) && !('fieldlengthhistogram' in self.properties)",message="fieldLengthHistogram says how long fields are: leave fieldlengthdistribution and fieldlengthhistogram out of properties"
type WorkloadSpec struct {
	// name of the workload, unique in the run.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be lower-case letters, digits and inner hyphens, such as read-heavy"
	Name string `json:"name"`

	// preset is one of YCSB's core workloads A to F, or mixgraph (see docs/reference/workloads.md).
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self in ['A', 'B', 'C', 'D', 'E', 'F', 'mixgraph']",message="must be A, B, C, D, E, F or mixgraph"
	Preset string `json:"preset,omitempty"`

	// records to load before measuring. They have to fit on the members' volumes. Default: as many as
	// the workload before has, and 1000 for the first one.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	Records *int64 `json:"records,omitempty"`

	// insertStart and insertCount are the part of the records that this workload asks for, as in YCSB: so
	// many records from the one with this number on. A part that begins where the records end which an
	// earlier workload left is loaded first, beside them. Default: all records.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000000
	InsertStart *int64 `json:"insertStart,omitempty"`

	// insertCount is how many records the part has. Default: all from insertStart on.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	InsertCount *int64 `json:"insertCount,omitempty"`

	// duration of the measurement, in whole seconds, without warm-up and cool-down. Default,
	// unless operations are set: 60s, or the length of the trace.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!self.matches('^([0-9]{1,5}([.][0-9]{1,3})?(h|m|s)|[0-9]{1,8}ms)+$') || duration(self) >= duration('1s')",message="must be at least 1s"
	Duration *Duration `json:"duration,omitempty"`

	// operations ends the measurement after so many operations, instead of a duration.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000000
	Operations *int64 `json:"operations,omitempty"`

	// reset empties the store and loads the records first. Default: true for the first
	// workload, false for the others. Of endpoints it empties the workload's table, and nothing
	// unless it is set: the first workload then loads over what is there, and with false it
	// measures on that.
	// +optional
	Reset *bool `json:"reset,omitempty"`

	// properties are YCSB's core properties, over the preset's. Those that name a file or
	// an address are refused: fieldLengthHistogram names a file.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 64)",message="a property's name has at most 64 characters"
	Properties map[string]PropertyValue `json:"properties,omitempty"`

	// fieldLengthHistogram is YCSB's fieldlengthhistogram: the lengths of the fields that are
	// written. Lines BlockSize<TAB>n, then bucket<TAB>count.
	// +optional
	FieldLengthHistogram *FileSource `json:"fieldLengthHistogram,omitempty"`

	// trace is made again in place of a preset and a rate: an open loop with the recorded
	// operations, keys and times. What is due in the warm-up is made and not measured.
	// +optional
	Trace *TraceSpec `json:"trace,omitempty"`

	// clients are groups of threads that work at the same time on the same records, each with operations of its own,
	// such as clients that read beside others that write. They take the place of load.threads and of the mix of
	// the preset. No two groups make the same operations, so that the figures of an operation are those of one
	// group. They are for closed loops.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=6
	Clients []ClientGroup `json:"clients,omitempty"`

	// load is this workload's own, over that of the run: each field that is set replaces the run's.
	// A rate replaces a rateShape, and the other way round.
	// +optional
	Load *WorkloadLoadSpec `json:"load,omitempty"`
}

// PropertyValue is the value of a YCSB property.
//
// +kubebuilder:validation:MaxLength=256
type PropertyValue string

// LoadSpec says how the workers drive the store, in all workloads that say nothing else.
type LoadSpec struct {
	WorkloadLoadSpec `json:",inline"`

	// resources of each worker and loader. Default: a request of 96Mi of memory, and of a CPU 500m
	// for a worker, 50m for a loader; each holds as long as nothing is said of that resource.
	// +optional
	Resources *ResourcesSpec `json:"resources,omitempty"`
}

// WorkloadLoadSpec says how the workers drive the store in one workload.
//
// +kubebuilder:validation:XValidation:rule="!has(self.rate) || !has(self.rateShape)",message="rate and rateShape exclude each other: leave one of them out"
type WorkloadLoadSpec struct {
	// workers is the number of load-generator pods. Default: 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Workers *int32 `json:"workers,omitempty"`

	// threads are the concurrent clients of each worker in a closed loop and while
	// loading. Default: 8.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	Threads *int32 `json:"threads,omitempty"`

	// rate in operations per second over all workers makes an open loop: operations
	// start at their intended times, whatever the store does. Absent: a closed loop.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self > 0",message="must be above 0; leave rate out for a closed loop"
	// +kubebuilder:validation:Maximum=10000000
	Rate *int64 `json:"rate,omitempty"`

	// rateShape makes an open loop whose rate changes, in place of rate. It counts from the
	// end of the warm-up, in which the rate is the one that it begins with.
	// +optional
	RateShape *RateShape `json:"rateShape,omitempty"`

	// arrivals is the law of the intended times: Poisson or Constant. Default: Poisson.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self in ['Poisson', 'Constant']",message="must be Poisson or Constant"
	Arrivals string `json:"arrivals,omitempty"`

	// maxInFlight bounds the operations under way over all workers in an open loop.
	// Default: rate × operationTimeout × 1.5, with the highest rate if it changes, and that of
	// its busiest second for a trace.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	MaxInFlight *int32 `json:"maxInFlight,omitempty"`

	// batch is how many records a loader inserts with one request at most, where the store's driver can.
	// With 1, loading is a measurement of single inserts. Default: 100.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	Batch *int32 `json:"batch,omitempty"`

	// connections is how many connections to each member of the store the operations of one worker
	// share in an open loop. Default: threads, and at least 16. A thread of a closed loop has its own.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Connections *int32 `json:"connections,omitempty"`

	// warmup before the measurement, in whole seconds. Default: the catalog's, which is 10s, and 30s
	// for stores that run on Java: Cassandra, Hazelcast and Ignite.
	// +optional
	Warmup *Duration `json:"warmup,omitempty"`

	// cooldown after the measurement, in whole seconds. Default: 5s.
	// +optional
	Cooldown *Duration `json:"cooldown,omitempty"`

	// operationTimeout is the deadline of each operation. Default: 2s.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!self.matches('^([0-9]{1,5}([.][0-9]{1,3})?(h|m|s)|[0-9]{1,8}ms)+$') || duration(self) >= duration('10ms') && duration(self) <= duration('60s')",message="must be from 10ms to 60s"
	OperationTimeout *Duration `json:"operationTimeout,omitempty"`
}

// RateShape says how the rate changes in the measurement, in one of its ways. All rates are
// operations per second over all workers.
//
// +kubebuilder:validation:XValidation:rule="[has(self.steps), has(self.ramp), has(self.sine), has(self.schedule)].exists_one(one, one)",message="rateShape needs one of steps, ramp, sine and schedule"
type RateShape struct {
	// steps follow each other; the last one's rate holds after it.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	Steps []RateStep `json:"steps,omitempty"`

	// ramp goes evenly from one rate to another, which holds after it.
	// +optional
	Ramp *RateRamp `json:"ramp,omitempty"`

	// sine goes up and down around a mean, beginning with the mean on its way up.
	// +optional
	Sine *RateSine `json:"sine,omitempty"`

	// schedule is a file with a line seconds,rate for each change, at most 1,000. The first
	// begins at 0; the last one's rate holds after it.
	// +optional
	Schedule *FileSource `json:"schedule,omitempty"`
}

// RateStep is a time with one rate.
type RateStep struct {
	// rate of the step; 0 is a pause.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000000
	Rate int64 `json:"rate"`

	// for so long.
	For Duration `json:"for"`
}

// RateRamp is a time in which the rate changes evenly.
type RateRamp struct {
	// from this rate.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000000
	From int64 `json:"from"`

	// to this rate.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000000
	To int64 `json:"to"`

	// over so long.
	Over Duration `json:"over"`
}

// RateSine is mean + amplitude × sin(2π × time / period).
//
// +kubebuilder:validation:XValidation:rule="self.amplitude <= self.mean",message="amplitude must be at most mean: there is no rate below 0"
type RateSine struct {
	// mean rate.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5000000
	Mean int64 `json:"mean"`

	// amplitude is the highest rate without the mean.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=5000000
	Amplitude int64 `json:"amplitude"`

	// period from one highest rate to the next.
	Period Duration `json:"period"`
}
