package report

import "github.com/kvbench/kvbench/internal/plan"

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

	gap       bool  // Cores leaves out a time in which one process went and another one came
	podMicros int64 // for how much of the measurement the kubelet's looks stand
}

// allUsages are what all sources told.
type allUsages struct {
	told    usages // by members, through observers
	pods    usages // by kubelets, of members' pods
	volumes usages // by kubelets, at moments of their own
}

// during is what the members used in the span; nil when nobody told anything. Throughput is
// operations/s in that time.
func (u *allUsages) during(members []string, s usageSpan, throughput float64) *Usage {
	out := &Usage{Members: []MemberUsage{}}
	told, seen := false, true
	least := int64(usageCoverage * float64((s.until-s.from)/micro))
	for _, name := range members {
		m := u.of(name, s, least)
		seen = seen && m.podMicros >= least
		told = told || m.CoveredMicros > 0 || m.ResidentMaxBytes != nil || m.WorkingSetMaxBytes != nil || m.DataMaxBytes != nil || m.VolumeMaxBytes != nil
		out.Members = append(out.Members, m)
	}
	if !told {
		return nil
	}
	out.Cores = sumOf(out.Members, func(m *MemberUsage) *float64 {
		if m.CoveredMicros < least || m.gap {
			return nil
		}
		return m.Cores
	})
	if out.Cores != nil && *out.Cores > 0 {
		each := throughput / *out.Cores
		out.OperationsPerCoreSecond = &each
	}
	out.ResidentMaxBytes = sumOf(out.Members, func(m *MemberUsage) *int64 { return m.ResidentMaxBytes })
	out.WorkingSetMaxBytes = sumOf(out.Members, func(m *MemberUsage) *int64 { return m.WorkingSetMaxBytes })
	out.DataMaxBytes = sumOf(out.Members, func(m *MemberUsage) *int64 { return m.DataMaxBytes })
	out.VolumeMaxBytes = sumOf(out.Members, func(m *MemberUsage) *int64 { return m.VolumeMaxBytes })
	if size := out.WorkingSetMaxBytes; size != nil && *size > 0 && seen {
		each := throughput / (float64(*size) / (1 << 30))
		out.OperationsPerWorkingSetGibibyteSecond = &each
	}
	return out
}

// of is what one member used, by the store's word and the kubelet's. Of processor time it is the
// store's, unless that covers less than least microseconds, and less than the kubelet's, or has a gap
// that the kubelet's hasn't.
func (u *allUsages) of(name string, s usageSpan, least int64) MemberUsage {
	m := u.told.of(name, s, least)
	pod := u.pods.of(name, s, least)
	m.WorkingSetMaxBytes, m.podMicros = pod.WorkingSetMaxBytes, pod.CoveredMicros
	m.VolumeMaxBytes = u.volumes.of(name, s, least).DataMaxBytes
	if m.Cores != nil {
		m.CoresFrom = FromStore
	}
	whole := m.gap && !pod.gap && pod.CoveredMicros >= least
	if pod.Cores != nil && (whole || m.CoveredMicros < min(least, pod.CoveredMicros)) {
		m.Cores, m.CoresFrom, m.CoveredMicros, m.Restarted = pod.Cores, FromKubelet, pod.CoveredMicros, m.Restarted || pod.Restarted
		m.gap = pod.gap
	}
	return m
}

// endedBy notes the members whose process a fault ended within the measurement, which lasted so long.
// Neither a pod's count shows it, nor a store's that tells of no process.
func (u *Usage) endedBy(faults []Fault, measuredMicros int64) {
	if u == nil {
		return
	}
	for i := range faults {
		f := &faults[i]
		if !plan.EndsProcess(f.Action) ||
			!f.Effective || f.InjectedAt == nil || f.InjectedAt.After.SinceStartMicros >= measuredMicros {
			continue
		}
		for j := range u.Members {
			m := &u.Members[j]
			if m.Member != f.Target {
				continue
			}
			m.Restarted = true
			// A pod that was made anew has another count, which a kubelet may not have seen.
			if (m.CoresFrom == FromStore || f.Action == plan.ActionPodKill) && measuredMicros-m.CoveredMicros > measuredMicros/100 {
				u.Cores, u.OperationsPerCoreSecond = nil, nil // it was away until after the end
			}
		}
	}
}

// usageCoverage is the share of the measurement that each member's averages must stand for,
// where they are added up.
const usageCoverage = 0.8

// sumOf is nil unless all members have the value.
func sumOf[T int64 | float64](members []MemberUsage, value func(*MemberUsage) *T) *T {
	sum := new(T)
	for i := range members {
		one := value(&members[i])
		if one == nil {
			return nil
		}
		*sum += *one
	}
	return sum
}

// of is what one member used. A count is taken to have grown evenly between two looks, so that
// one just before the begin and one just after the end cover all: see usageSpan. The collector's share is left out
// where it is known of less than least microseconds.
func (u *usages) of(member string, s usageSpan, least int64) MemberUsage {
	m := MemberUsage{Member: member}
	all := u.members[member]
	var cpu, collector average
	for i := range all {
		next := &all[i]
		if next.atNanos >= s.from && next.atNanos < s.until {
			m.ResidentMaxBytes = larger(m.ResidentMaxBytes, next.residentBytes)
			m.WorkingSetMaxBytes = larger(m.WorkingSetMaxBytes, next.workingSetBytes)
			m.DataMaxBytes = larger(m.DataMaxBytes, next.dataBytes)
		}
		if i == 0 {
			continue
		}
		before := &all[i-1]
		if min(next.atNanos, s.until) <= max(before.atNanos, s.from) {
			continue
		}
		if next.begunAnew(before) {
			m.Restarted, m.gap = true, true
			continue
		}
		within := s.covers(before.atNanos, next.atNanos)
		if within == 0 {
			continue
		}
		share := float64(within) / float64(next.atNanos-before.atNanos)
		cpu.add(within, share, before.cpuMicros, next.cpuMicros)
		collector.add(within, share, before.collectorMicros, next.collectorMicros)
	}
	m.CoveredMicros, m.Cores = cpu.coveredMicros, cpu.each()
	if collector.coveredMicros >= least {
		m.CollectorShare = collector.each()
	}
	return m
}

// average is what a count grew by in each microsecond of the time for which that is known.
type average struct {
	coveredMicros int64
	grown         float64
}

// add adds that share of what lies between two looks. A count that went back says nothing.
func (a *average) add(withinNanos int64, share float64, before, next int64) {
	if before == unknown || next < before {
		return
	}
	a.coveredMicros += withinNanos / micro
	a.grown += share * float64(next-before)
}

func (a *average) each() *float64 {
	if a.coveredMicros == 0 {
		return nil
	}
	each := a.grown / float64(a.coveredMicros)
	return &each
}

// larger leaves out what is not known.
func larger(most *int64, value int64) *int64 {
	if value == unknown || most != nil && *most >= value {
		return most
	}
	return &value
}
