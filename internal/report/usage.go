package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kvbench/kvbench/internal/bundle"
)

// Usage is what the store's members used during the measurement, as they told themselves, and as
// the kubelets of their nodes did.
type Usage struct {
	// Members are all of the store's.
	Members []MemberUsage `json:"members"`
	// Cores is how many the members had in use together, on average, and
	// OperationsPerCoreSecond the throughput for each. Null unless every member's average stands
	// for four fifths of the measurement.
	Cores                   *float64 `json:"cores"`
	OperationsPerCoreSecond *float64 `json:"operationsPerCoreSecond"`
	// These add up the members' highest. Null unless known of all.
	ResidentMaxBytes   *int64 `json:"residentMaxBytes"`
	WorkingSetMaxBytes *int64 `json:"workingSetMaxBytes"`
	DataMaxBytes       *int64 `json:"dataMaxBytes"`
	VolumeMaxBytes     *int64 `json:"volumeMaxBytes"`
	// OperationsPerWorkingSetGibibyteSecond is the throughput for each GiB of WorkingSetMaxBytes.
	OperationsPerWorkingSetGibibyteSecond *float64 `json:"operationsPerWorkingSetGibibyteSecond"`
}

// Values of MemberUsage.CoresFrom.
const (
	FromStore   = "store"   // the member's process, every two seconds
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
	// the store tells.
	CollectorShare *float64 `json:"collectorShare"`
	// ResidentMaxBytes is the most memory that its process was seen to have, and DataMaxBytes the
	// most that its data took on the disk, as the store tells. WorkingSetMaxBytes is the most memory
	// of its pod, page cache in use included, and VolumeMaxBytes the most that all files of its
	// ephemeral volume took, as the kubelet does.
	ResidentMaxBytes   *int64 `json:"residentMaxBytes"`
	WorkingSetMaxBytes *int64 `json:"workingSetMaxBytes"`
	DataMaxBytes       *int64 `json:"dataMaxBytes"`
	VolumeMaxBytes     *int64 `json:"volumeMaxBytes"`
	// Restarted: another process took over. What the first one used after the last look at it
	// is in none of the averages.
	Restarted bool `json:"restarted"`
}

// usages are what one source told, by member.
type usages struct {
	members map[string][]used
	total   int
}

// used is what was told of a member once, in few bytes; unknown is what wasn't. Counts go on
// within a pod, and begin anew with another one; 0 is where the source doesn't know pods.
type used struct {
	atNanos, cpuMicros, residentBytes, workingSetBytes, dataBytes, collectorMicros int64
	pod                                                                            uint64
}

// nothing is told at that moment.
func nothing(atNanos int64) used {
	return used{
		atNanos: atNanos, cpuMicros: unknown, residentBytes: unknown, workingSetBytes: unknown,
		dataBytes: unknown, collectorMicros: unknown,
	}
}

const unknown = -1

// Limits of what observers may write.
const (
	maxUsages = 400_000 // nine members that are asked every two seconds for a day; then every second one is left out
	maxUsed   = 1 << 60 // an exabyte, or 36,000 years: sums of it don't overflow
)

// take takes a line's off it: they are new each time, and what else is in lines is kept once.
func (u *usages) take(l *bundle.TopologyLine) error {
	told := l.Usage
	l.Usage = nil
	for i := range told {
		one := nothing(told[i].AtUnixNanos)
		if err := setFigures([]figure{
			{&one.cpuMicros, told[i].CPUMicros}, {&one.residentBytes, told[i].ResidentBytes},
			{&one.dataBytes, told[i].DataBytes}, {&one.collectorMicros, told[i].CollectorMicros},
		}); err != nil {
			return err
		}
		if err := u.add(told[i].Member, one); err != nil {
			return err
		}
	}
	return nil
}

// figure is where one is kept, and what was told of it: nil is nothing.
type figure struct{ to, from *int64 }

func setFigures(figures []figure) error {
	for _, c := range figures {
		if c.from == nil {
			continue
		}
		if *c.to = *c.from; *c.to < 0 || *c.to > maxUsed {
			return fmt.Errorf("a member that used %d of something", *c.to)
		}
	}
	return nil
}

func (u *usages) add(member string, one used) error {
	if u.members == nil {
		u.members = map[string][]used{}
	}
	if u.members[member] == nil && len(u.members) == maxMembers || len(member) > maxName {
		return fmt.Errorf("a further member %.40q that uses something", member)
	}
	if u.total++; u.total > maxUsages {
		u.thin()
	}
	u.members[member] = append(u.members[member], one)
	return nil
}

// thin leaves every second one out. Counts go on over it, and the most that was seen is kept.
func (u *usages) thin() {
	u.total = 1 // the one that is to come
	for member, all := range u.members {
		kept := all[:0]
		for i := 0; i < len(all); i += 2 {
			one := all[i]
			if i+1 < len(all) {
				one.residentBytes = max(one.residentBytes, all[i+1].residentBytes)
				one.workingSetBytes = max(one.workingSetBytes, all[i+1].workingSetBytes)
				one.dataBytes = max(one.dataBytes, all[i+1].dataBytes)
			}
			kept = append(kept, one)
		}
		u.members[member] = kept
		u.total += len(kept)
	}
}

// sort puts them in the order of time: one writer may have followed another.
func (u *usages) sort() {
	for _, all := range u.members {
		slices.SortStableFunc(all, func(a, b used) int { return cmp.Compare(a.atNanos, b.atNanos) })
	}
}

// allUsages are what all sources told.
type allUsages struct {
	told    usages // by members, through observers
	pods    usages // by kubelets, of members' pods
	volumes usages // by kubelets, at moments of their own
}

// during is what the members used in [from, until), in Unix nanoseconds; nil when nobody told
// anything. Throughput is operations/s in that time.
func (u *allUsages) during(members []string, from, until int64, throughput float64) *Usage {
	out := &Usage{Members: []MemberUsage{}}
	told := false
	least := int64(usageCoverage * float64((until-from)/micro))
	for _, name := range members {
		m := u.of(name, from, until, least)
		told = told || m.CoveredMicros > 0 || m.ResidentMaxBytes != nil || m.WorkingSetMaxBytes != nil || m.DataMaxBytes != nil || m.VolumeMaxBytes != nil
		out.Members = append(out.Members, m)
	}
	if !told {
		return nil
	}
	out.Cores = sumOf(out.Members, func(m *MemberUsage) *float64 {
		if m.CoveredMicros < least {
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
	if size := out.WorkingSetMaxBytes; size != nil && *size > 0 {
		each := throughput / (float64(*size) / (1 << 30))
		out.OperationsPerWorkingSetGibibyteSecond = &each
	}
	return out
}

// of is what one member used, by the store's word and the kubelet's. Of processor time it is the
// store's, unless that covers less than least microseconds, and less than the kubelet's.
func (u *allUsages) of(name string, from, until, least int64) MemberUsage {
	m := u.told.of(name, from, until)
	pod := u.pods.of(name, from, until)
	m.WorkingSetMaxBytes = pod.WorkingSetMaxBytes
	m.VolumeMaxBytes = u.volumes.of(name, from, until).DataMaxBytes
	if m.Cores != nil {
		m.CoresFrom = FromStore
	}
	if pod.Cores != nil && m.CoveredMicros < min(least, pod.CoveredMicros) {
		m.Cores, m.CoresFrom, m.CoveredMicros, m.Restarted = pod.Cores, FromKubelet, pod.CoveredMicros, m.Restarted || pod.Restarted
	}
	return m
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
// one just before the begin and one just after the end cover all.
func (u *usages) of(member string, from, until int64) MemberUsage {
	m := MemberUsage{Member: member}
	all := u.members[member]
	cpu, collector, collected := 0.0, 0.0, false
	for i := range all {
		next := &all[i]
		if next.atNanos >= from && next.atNanos < until {
			m.ResidentMaxBytes = larger(m.ResidentMaxBytes, next.residentBytes)
			m.WorkingSetMaxBytes = larger(m.WorkingSetMaxBytes, next.workingSetBytes)
			m.DataMaxBytes = larger(m.DataMaxBytes, next.dataBytes)
		}
		if i == 0 {
			continue
		}
		before := &all[i-1]
		within := min(next.atNanos, until) - max(before.atNanos, from)
		if within <= 0 || before.cpuMicros == unknown || next.cpuMicros == unknown {
			continue
		}
		if next.cpuMicros < before.cpuMicros || next.pod != before.pod {
			m.Restarted = true
			continue
		}
		share := float64(within) / float64(next.atNanos-before.atNanos)
		m.CoveredMicros += within / micro
		cpu += share * float64(next.cpuMicros-before.cpuMicros)
		if before.collectorMicros != unknown && next.collectorMicros != unknown {
			collected = true
			collector += share * float64(next.collectorMicros-before.collectorMicros)
		}
	}
	if m.CoveredMicros > 0 {
		cores := cpu / float64(m.CoveredMicros)
		m.Cores = &cores
	}
	if m.CoveredMicros > 0 && collected {
		stopped := max(0, collector) / float64(m.CoveredMicros)
		m.CollectorShare = &stopped
	}
	return m
}

// larger leaves out what is not known.
func larger(most *int64, value int64) *int64 {
	if value == unknown || most != nil && *most >= value {
		return most
	}
	return &value
}
