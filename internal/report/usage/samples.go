package usage

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
)

// Samples are what one source told, by member.
type Samples struct {
	members map[string][]sample
	total   int
}

// sample is what a source told of a member at one instant. It takes few bytes; what the source didn't tell is unknown.
// Counts grow within a process (of the store's word) or a pod (of a kubelet's), and begin anew with the next one. The
// process is 0 where the source doesn't say which one it was.
type sample struct {
	at                                                                    instant.Unix
	cpuMicros, residentBytes, workingSetBytes, dataBytes, collectorMicros int64
	process                                                               uint64
}

// begunAnew says whether the counts are of another process than those before. A count that went back shows it where
// the source doesn't say which process it was.
func (u *sample) begunAnew(before *sample) bool {
	another := u.process != 0 && before.process != 0 && u.process != before.process
	return another || u.cpuMicros != unknown && u.cpuMicros < before.cpuMicros
}

// newSample is a sample in which nothing is known yet.
func newSample(atUnixNanos int64) sample {
	return sample{
		at: instant.Unix(atUnixNanos), cpuMicros: unknown, residentBytes: unknown, workingSetBytes: unknown,
		dataBytes: unknown, collectorMicros: unknown,
	}
}

// unknown stands for a value that the source didn't tell.
const unknown = -1

// Limits of what observers may write.
const (
	maxUsages = 400_000 // nine members that are asked every two seconds for a day; then every second one is left out
	maxUsed   = 1 << 60 // an exabyte, or 36,000 years: sums of it don't overflow
)

// Take moves the samples of a line out of it. They differ in each line; what is left of equal lines can then be shared.
func (u *Samples) Take(l *bundle.TopologyLine) error {
	told := l.Usage
	l.Usage = nil
	for i := range told {
		one := newSample(told[i].AtUnixNanos)
		one.process = told[i].Process
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

// figure is a place in a sample, and the value that was told for it; nil if none was.
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

func (u *Samples) add(member string, one sample) error {
	if u.members == nil {
		u.members = map[string][]sample{}
	}
	if u.members[member] == nil && len(u.members) == report.MaxMembers || len(member) > report.MaxName {
		return fmt.Errorf("a further member %.40q that uses something", member)
	}
	if u.total++; u.total > maxUsages {
		u.thin()
	}
	u.members[member] = append(u.members[member], one)
	return nil
}

// thin drops every second sample of each member. Counts still show the growth, and the sample before takes over the
// largest sizes.
func (u *Samples) thin() {
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

// Sort puts the samples in the order of time. Several writers may have told them, one after the other.
func (u *Samples) Sort() {
	for _, all := range u.members {
		slices.SortStableFunc(all, func(a, b sample) int { return cmp.Compare(a.at, b.at) })
	}
}

// larger is the larger of the two values; an unknown one doesn't count.
func larger(most *int64, value int64) *int64 {
	if value == unknown || most != nil && *most >= value {
		return most
	}
	return &value
}
