package usage

import (
	"github.com/kvbench/kvbench/internal/report/instant"
)

// Point is what a source told of a member at one instant. A value that it didn't tell is nil.
type Point struct {
	At instant.Unix
	// Cores is the processor time for each second since the point before, and CollectorShare the share of that time for
	// which the garbage collector stopped the member. Both are nil if another process began.
	Cores, CollectorShare                     *float64
	ResidentBytes, WorkingSetBytes, DataBytes *int64
}

// Course has the samples of a member in [from, until): the last one of each step. step says in which one an instant is. So a
// point stands for the time since the point before.
func (u *Samples) Course(member string, from, until instant.Unix, step func(instant.Unix) int) []Point {
	var points []Point
	var before *sample // of the last point
	anew := false      // since then
	all := u.members[member]
	for i := range all {
		one := &all[i]
		anew = anew || i > 0 && one.begunAnew(&all[i-1])
		last := i+1 == len(all) || step(all[i+1].at) != step(one.at)
		if one.at >= from && one.at < until && last {
			p := Point{At: one.at, ResidentBytes: told(one.residentBytes), WorkingSetBytes: told(one.workingSetBytes), DataBytes: told(one.dataBytes)}
			if before != nil && !anew && one.at > before.at {
				micros := one.at.Since(before.at) / instant.NanosPerMicro
				p.Cores = growth(before.cpuMicros, one.cpuMicros, micros)
				p.CollectorShare = growth(before.collectorMicros, one.collectorMicros, micros)
			}
			points = append(points, p)
		}
		if last {
			before, anew = one, false
		}
	}
	return points
}

func told(value int64) *int64 {
	if value == unknown {
		return nil
	}
	return &value
}

// growth is how much a count grew in each microsecond. A count that went back says nothing.
func growth(before, next, micros int64) *float64 {
	if before == unknown || next < before || micros <= 0 {
		return nil
	}
	each := float64(next-before) / float64(micros)
	return &each
}
