package report

// Usage is what the store's members used during the measurement, as they told themselves, and as
// the kubelets of their nodes did.
type Usage struct {
	// Members are all of the store's.
	Members []MemberUsage `json:"members"`
	// Cores is how many the members had in use together, on average, and
	// OperationsPerCoreSecond the throughput for each. Null unless every member's average stands
	// for four fifths of the measurement, and leaves out no time in which its process was away or
	// another one began: the throughput doesn't either.
	Cores                   *float64 `json:"cores"`
	OperationsPerCoreSecond *float64 `json:"operationsPerCoreSecond"`
	// These add up the members' highest. Null unless known of all.
	ResidentMaxBytes   *int64 `json:"residentMaxBytes"`
	WorkingSetMaxBytes *int64 `json:"workingSetMaxBytes"`
	DataMaxBytes       *int64 `json:"dataMaxBytes"`
	VolumeMaxBytes     *int64 `json:"volumeMaxBytes"`
	// OperationsPerWorkingSetGibibyteSecond is the throughput for each GiB of WorkingSetMaxBytes. Null
	// unless kubelets looked at every member for four fifths of the measurement.
	OperationsPerWorkingSetGibibyteSecond *float64 `json:"operationsPerWorkingSetGibibyteSecond"`
}

// Values of MemberUsage.CoresFrom.
const (
	FromStore   = "store"   // the member's process, every two seconds or more seldom
	FromKubelet = "kubelet" // the pod, every ten to fifteen seconds, at instants that are right to a second
)

// MemberUsage is what one member used. What nobody tells is null.
type MemberUsage struct {
	Member string `json:"member"`
	// CoveredMicros is for how much of the measurement Cores stands: the time between two looks
	// at the same process, or pod.
	CoveredMicros int64 `json:"coveredMicros"`
	// Cores is its processor time for each second of that, and CoresFrom who told: the kubelet,
	// where the store covers too little of the measurement and the kubelet more.
	Cores     *float64 `json:"cores"`
	CoresFrom string   `json:"coresFrom,omitempty"`
	// CollectorShare is for how much of the time its garbage collector stopped it, from 0 to 1, as
	// the store tells. Null unless that stands for four fifths of the measurement, whoever told Cores.
	CollectorShare *float64 `json:"collectorShare"`
	// ResidentMaxBytes is the most memory that its process was seen to have, and DataMaxBytes the
	// most that its data took on the disk, as the store tells. WorkingSetMaxBytes is the most memory
	// of its pod, page cache in use included, and VolumeMaxBytes the most that all files of its
	// ephemeral volume took, as the kubelet does.
	ResidentMaxBytes   *int64 `json:"residentMaxBytes"`
	WorkingSetMaxBytes *int64 `json:"workingSetMaxBytes"`
	DataMaxBytes       *int64 `json:"dataMaxBytes"`
	VolumeMaxBytes     *int64 `json:"volumeMaxBytes"`
	// Restarted: its process ended, or another one took over. Two looks showed it, or a fault of that
	// effect hit the member. What the first process used after the last look at it is not in the
	// averages, unless they are of a pod that stayed.
	Restarted bool `json:"restarted"`
}
