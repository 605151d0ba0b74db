package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kvbench/kvbench/internal/bundle"
)

// Usage is what the store's members used during the measurement, as they told themselves.
type Usage struct {
	// Members are all of the store's.
	Members []MemberUsage `json:"members"`
	// Cores is how many the members had in use together, on average, and
	// OperationsPerCoreSecond the throughput for each. Null unless every member's average stands
	// for four fifths of the measurement.
	Cores                   *float64 `json:"cores"`
	OperationsPerCoreSecond *float64 `json:"operationsPerCoreSecond"`
	// ResidentMaxBytes and DataMaxBytes add up the members' highest. Null unless all told.
	ResidentMaxBytes *int64 `json:"residentMaxBytes"`
	DataMaxBytes     *int64 `json:"dataMaxBytes"`
}

// MemberUsage is what one member used. What its store doesn't tell is null.
type MemberUsage struct {
	Member string `json:"member"`
	// CoveredMicros is for how much of the measurement the averages stand: the time between two
	// looks of the observer at the same process.
	CoveredMicros int64 `json:"coveredMicros"`
	// Cores is its processor time for each second of that, and CollectorShare how much of that
	// its garbage collector stopped it, from 0 to 1.
	Cores          *float64 `json:"cores"`
	CollectorShare *float64 `json:"collectorShare"`
	// ResidentMaxBytes and DataMaxBytes are the most that was seen in the measurement.
	ResidentMaxBytes *int64 `json:"residentMaxBytes"`
	DataMaxBytes     *int64 `json:"dataMaxBytes"`
	// Restarted: another process took over. What the first one used after the last look at it
	// is in none of the averages.
	Restarted bool `json:"restarted"`
}

// usages are what observers were told, by member.
type usages struct {
	members map[string][]used
	total   int
}

// used is what a member told once, in few bytes; unknown is what it didn't.
type used struct{ atNanos, cpuMicros, residentBytes, dataBytes, collectorMicros int64 }

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
		one := used{atNanos: told[i].AtUnixNanos}
		for _, count := range []struct {
			to   *int64
			from *int64
		}{
			{&one.cpuMicros, told[i].CPUMicros}, {&one.residentBytes, told[i].ResidentBytes},
			{&one.dataBytes, told[i].DataBytes}, {&one.collectorMicros, told[i].CollectorMicros},
		} {
			*count.to = unknown
			if count.from == nil {
				continue
			}
			if *count.to = *count.from; *count.to < 0 || *count.to > maxUsed {
				return fmt.Errorf("a member that used %d of something", *count.to)
			}
		}
		if err := u.add(told[i].Member, one); err != nil {
			return err
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
				one.dataBytes = max(one.dataBytes, all[i+1].dataBytes)
			}
			kept = append(kept, one)
		}
		u.members[member] = kept
		u.total += len(kept)
	}
}

// sort puts them in the order of time: one observer may have followed another.
func (u *usages) sort() {
	for _, all := range u.members {
		slices.SortStableFunc(all, func(a, b used) int { return cmp.Compare(a.atNanos, b.atNanos) })
	}
}

// during is what the members used in [from, until), in Unix nanoseconds; nil when none told
// anything. Throughput is operations/s in that time.
func (u *usages) during(members []string, from, until int64, throughput float64) *Usage {
	out := &Usage{Members: []MemberUsage{}}
	told := false
	for _, name := range members {
		m := u.of(name, from, until)
		told = told || m.CoveredMicros > 0 || m.ResidentMaxBytes != nil || m.DataMaxBytes != nil
		out.Members = append(out.Members, m)
	}
	if !told {
		return nil
	}
	least := int64(usageCoverage * float64((until-from)/micro))
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
	out.DataMaxBytes = sumOf(out.Members, func(m *MemberUsage) *int64 { return m.DataMaxBytes })
	return out
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
		if next.cpuMicros < before.cpuMicros {
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
