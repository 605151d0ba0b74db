package usage

import (
	"slices"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
)

// usageCoverage is the share of the measurement that each member's averages must stand for,
// where they are added up.
const usageCoverage = 0.8

// During is what the members used in the period; nil when nobody told anything. Throughput is
// operations/s in that time.
func (u *Sources) During(names []string, s Period, throughput float64) *report.Usage {
	members, out := []memberUsage{}, &report.Usage{Members: []report.MemberUsage{}}
	told, seen := false, true
	least := int64(usageCoverage * float64(s.Until.Since(s.From)/instant.NanosPerMicro))
	for _, name := range names {
		m := u.of(name, s, least)
		seen = seen && m.podMicros >= least
		told = told || m.CoveredMicros > 0 || m.ResidentMaxBytes != nil || m.WorkingSetMaxBytes != nil || m.DataMaxBytes != nil || m.VolumeMaxBytes != nil
		members = append(members, m)
		out.Members = append(out.Members, m.MemberUsage)
	}
	if !told {
		return nil
	}
	out.Cores = sumOf(members, func(m *memberUsage) *float64 {
		if m.CoveredMicros < least || m.gap {
			return nil
		}
		return m.Cores
	})
	if out.Cores != nil && *out.Cores > 0 {
		each := throughput / *out.Cores
		out.OperationsPerCoreSecond = &each
	}
	out.ResidentMaxBytes = sumOf(members, func(m *memberUsage) *int64 { return m.ResidentMaxBytes })
	out.WorkingSetMaxBytes = sumOf(members, func(m *memberUsage) *int64 { return m.WorkingSetMaxBytes })
	out.DataMaxBytes = sumOf(members, func(m *memberUsage) *int64 { return m.DataMaxBytes })
	out.VolumeMaxBytes = sumOf(members, func(m *memberUsage) *int64 { return m.VolumeMaxBytes })
	if size := out.WorkingSetMaxBytes; size != nil && *size > 0 && seen {
		each := throughput / (float64(*size) / (1 << 30))
		out.OperationsPerWorkingSetGibibyteSecond = &each
	}
	return out
}

// NoteEnded notes the members whose process a fault ended within the measurement, which lasted so long.
// Neither a pod's count shows it, nor a store's that tells of no process.
func NoteEnded(u *report.Usage, injected []report.Fault, measuredMicros int64) {
	if u == nil {
		return
	}
	for i := range injected {
		f := &injected[i]
		action, _ := faults.Find(f.Action)
		if !action.EndsProcess ||
			!f.Effective || f.InjectedAt == nil || int64(f.InjectedAt.After.SinceStartMicros) >= measuredMicros {
			continue
		}
		for j := range u.Members {
			m := &u.Members[j]
			if !slices.Contains(f.Hit(), m.Member) {
				continue
			}
			noteRestart(u, m, action.ReplacesPod, measuredMicros)
		}
	}
}

// noteRestart notes that another process of the member took over. The count of a pod goes on, and a pod that was made anew has another
// one, which a kubelet may not have seen.
func noteRestart(u *report.Usage, m *report.MemberUsage, anew bool, measuredMicros int64) {
	m.Restarted = true
	if (m.CoresFrom == report.FromStore || anew) && measuredMicros-m.CoveredMicros > measuredMicros/100 {
		u.Cores, u.OperationsPerCoreSecond = nil, nil // it was away until after the end
	}
}

// NoteEnds notes the members whose container ended by itself within the measurement, which began at the time and lasted so long. The
// kubelet tells of the last end alone, so that one before it is not seen; and in whole seconds of its node's clock, so that one in the
// second before the measurement counts.
func NoteEnds(u *report.Usage, pods []bundle.Pod, began time.Time, lasted time.Duration) {
	if u == nil {
		return
	}
	for i := range pods {
		pod := &pods[i]
		if pod.Role != bundle.PodMember || pod.LastEnd == nil {
			continue
		}
		at, err := time.Parse(time.RFC3339, pod.LastEnd.At)
		if err != nil || at.Before(began.Add(-time.Second)) || at.After(began.Add(lasted)) {
			continue
		}
		for j := range u.Members {
			if m := &u.Members[j]; m.Member == pod.Name {
				noteRestart(u, m, false, lasted.Microseconds())
			}
		}
	}
}

// sumOf adds up a value of all members; nil if one of them lacks it.
func sumOf[T int64 | float64](members []memberUsage, value func(*memberUsage) *T) *T {
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
