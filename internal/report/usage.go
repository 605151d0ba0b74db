package report

// Usage is what the store's members used during the measurement, by their own word and by that of the kubelets of their
// nodes.
type Usage struct {
	// Members are all members of the store.
	Members []MemberUsage `json:"members"`
	// Cores is how many cores the members had in use together, on average. OperationsPerCoreSecond is the
	// throughput for each core. Both are null unless every member's average stands for four fifths of the
	// measurement, and leaves out no time in which the member's process was away or another one began. The
	// throughput has that time too.
	Cores                   *float64 `json:"cores"`
	OperationsPerCoreSecond *float64 `json:"operationsPerCoreSecond"`
	// The next four add up the members' highest values. Each is null unless it is known of all members.
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

// MemberUsage is what one member used. A value that nobody told is null.
type MemberUsage struct {
	Member string `json:"member"`
	// CoveredMicros is for how much of the measurement Cores stands: the time between samples
	// of the same process, or pod.
	CoveredMicros int64 `json:"coveredMicros"`
	// Cores is the processor time for each second of that. CoresFrom is who told it: the kubelet if the store's word
	// covers too little of the measurement and the kubelet's covers more, else the store.
	Cores     *float64 `json:"cores"`
	CoresFrom string   `json:"coresFrom,omitempty"`
	// CollectorShare is the share of the time for which the garbage collector stopped the member, from 0 to 1, by the
	// store's word. Null unless it stands for four fifths of the measurement, whoever told Cores.
	CollectorShare *float64 `json:"collectorShare"`
	// ResidentMaxBytes is the most memory that its process was seen to have, and DataMaxBytes the
	// most that its data took on the disk, as the store tells. WorkingSetMaxBytes is the most memory
	// of its pod, page cache in use included, and VolumeMaxBytes the most that all files of its
	// ephemeral volume took, as the kubelet does.
	ResidentMaxBytes   *int64 `json:"residentMaxBytes"`
	WorkingSetMaxBytes *int64 `json:"workingSetMaxBytes"`
	DataMaxBytes       *int64 `json:"dataMaxBytes"`
	VolumeMaxBytes     *int64 `json:"volumeMaxBytes"`
	// Restarted says that the process ended, or that another one took over. Two samples showed it, the kubelet told so, or a
	// fault that ends processes hit the member. The averages don't have what the first process used after its last sample,
	// unless they are of a pod that stayed.
	Restarted bool `json:"restarted"`
}
