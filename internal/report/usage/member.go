package usage

import (
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
)

// memberUsage is what a report has of a member, and how far it may be believed.
type memberUsage struct {
	report.MemberUsage
	gap       bool  // Cores leaves out a time in which one process went and another one came
	podMicros int64 // for how much of the measurement the kubelet's samples stand
}

// of is what one member used, by the store's word and the kubelet's. Processor time is the store's word. The kubelet's
// word replaces it if the store's covers less than least microseconds and less than the kubelet's, or if the store's
// has a gap and the kubelet's has none.
func (u *Sources) of(name string, s Period, least int64) memberUsage {
	m := u.Members.of(name, s, least)
	pod := u.Pods.of(name, s, least)
	m.WorkingSetMaxBytes, m.podMicros = pod.WorkingSetMaxBytes, pod.CoveredMicros
	m.VolumeMaxBytes = u.Volumes.of(name, s, least).DataMaxBytes
	if m.Cores != nil {
		m.CoresFrom = report.FromStore
	}
	complete := m.gap && !pod.gap && pod.CoveredMicros >= least
	if pod.Cores != nil && (complete || m.CoveredMicros < min(least, pod.CoveredMicros)) {
		m.Cores, m.CoresFrom, m.CoveredMicros, m.Restarted = pod.Cores, report.FromKubelet, pod.CoveredMicros, m.Restarted || pod.Restarted
		m.gap = pod.gap
	}
	return m
}

// of is what one member used. A count is taken to have grown evenly between two samples, so a sample just before the
// begin and one just after the end cover the whole period. The collector's share is left out if it is known of less
// than least microseconds.
func (u *Samples) of(member string, s Period, least int64) memberUsage {
	m := memberUsage{MemberUsage: report.MemberUsage{Member: member}}
	all := u.members[member]
	var cpu, collector average
	for i := range all {
		next := &all[i]
		if next.at >= s.From && next.at < s.Until {
			m.ResidentMaxBytes = larger(m.ResidentMaxBytes, next.residentBytes)
			m.WorkingSetMaxBytes = larger(m.WorkingSetMaxBytes, next.workingSetBytes)
			m.DataMaxBytes = larger(m.DataMaxBytes, next.dataBytes)
		}
		if i == 0 {
			continue
		}
		before := &all[i-1]
		if min(next.at, s.Until) <= max(before.at, s.From) {
			continue
		}
		if next.begunAnew(before) {
			m.Restarted, m.gap = true, true
			continue
		}
		within := s.covers(before.at, next.at)
		if within == 0 {
			continue
		}
		share := float64(within) / float64(next.at-before.at)
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

// add adds a share of the growth between two samples. A count that went back says nothing.
func (a *average) add(withinNanos int64, share float64, before, next int64) {
	if before == unknown || next < before {
		return
	}
	a.coveredMicros += withinNanos / instant.NanosPerMicro
	a.grown += share * float64(next-before)
}

func (a *average) each() *float64 {
	if a.coveredMicros == 0 {
		return nil
	}
	each := a.grown / float64(a.coveredMicros)
	return &each
}
