package reporttest

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/instant"
)

// Build writes the bundle.
func (s *Situation) Build(t *testing.T) bundletest.Files {
	t.Helper()
	f := bundletest.Files{}
	f.Put(bundle.PlanFile, bundletest.Line(s.Plan))
	f.Put(bundle.StartFile("a"), bundletest.Line(bundle.Start{StartUnixNanos: s.startNanos}))
	if s.Fault != nil {
		f.Put(bundle.FaultsFile, bundletest.Line(s.Fault))
	}
	var topology, claims []byte
	slices.SortFunc(s.Topology, func(a, b bundle.TopologyLine) int { return int(a.AtUnixNanos/1000 - b.AtUnixNanos/1000) })
	for _, l := range s.Topology {
		topology = append(topology, bundletest.Line(l)...)
	}
	f.Put(bundle.Writer{Role: bundle.RoleObserver, PodUID: bundletest.PodUID(900)}.File(bundle.Jsonl), topology)
	for index := range s.Workload().Load.Workers {
		claims = append(claims, bundletest.Line(bundle.Claim{Writer: bundletest.LoaderOf(index, 0)})...)
		claims = append(claims, bundletest.Line(bundle.Claim{Writer: bundletest.WorkerOf(index)})...)
		s.buildLoader(t, f, index)
		s.buildWorker(t, f, index)
	}
	f.Put(bundle.ClaimsFile, claims)
	return f
}

func (s *Situation) buildLoader(t *testing.T, f bundletest.Files, index int) {
	w := bundletest.LoaderOf(index, 0)
	inserts := bundletest.Logged{}
	for i := range 500 {
		inserts.Record(s.startNanos/instant.NanosPerSecond-100, "INSERT", int64(1000+i))
	}
	f.Put(w.File(bundle.Hlog), inserts.Bytes(t))
	f.Put(w.File(bundle.Jsonl), bundletest.Line(bundle.SelfLine{Finish: &bundle.Finish{
		StartedUnixNanos: s.Nanos(-100 * bundletest.Second), EndedUnixNanos: s.Nanos(-98 * bundletest.Second), Operations: 500, Succeeded: 500, Inserted: 500}}))
	f.End(w.File(bundle.Hlog))
	f.End(w.File(bundle.Jsonl))
}

func (s *Situation) buildWorker(t *testing.T, f bundletest.Files, index int) {
	r := s.record(t, index)
	w := bundletest.WorkerOf(index)
	f.Put(w.File(bundle.Hlog), append(slices.Clone(r.log), s.lagRows(t, r.intended)...))
	f.Put(w.File(bundle.Bins), r.bins)
	lines := bundletest.Line(bundle.SelfLine{AtUnixNanos: s.Nanos(-bundletest.Second), Clock: &s.Clock})
	for i := range s.Scene.Duration / bundletest.Second {
		self := bundle.SelfSecond{LengthMicros: bundletest.Second, InFlightMax: 20, Intended: r.intended[i], Sent: r.intended[i],
			ThrottledMicros: new(int64), StoppedMicros: new(int64),
			Cores:   &bundle.Cores{Count: 2, RanMicros: 100_000},
			Machine: &bundle.Machine{Cores: 2, Usable: 2, IdleMicros: 1_500_000, OwnMicros: 100_000}}
		if s.Self != nil {
			s.Self(i, &self)
		}
		if s.First != nil && index == 0 {
			s.First(i, &self)
		}
		lines = append(lines, bundletest.Line(bundle.SelfLine{AtUnixNanos: s.Nanos((i + 1) * bundletest.Second), Second: &self})...)
	}
	if s.Errors != nil {
		lines = append(lines, bundletest.Line(bundle.SelfLine{AtUnixNanos: s.Nanos(27 * bundletest.Second), Errors: s.Errors})...)
	}
	finish := s.Finish
	if s.Workload().Load.Rate > 0 {
		finish.Arrivals = s.arrivals()
	}
	finish.Operations += r.ended
	finish.Succeeded += r.succeeded
	finish.NeverStarted += r.neverStarted
	finish.StartedUnixNanos, finish.EndedUnixNanos = s.startNanos, s.Nanos(s.Scene.Duration)
	lines = append(lines, bundletest.Line(bundle.SelfLine{AtUnixNanos: s.Nanos(28 * bundletest.Second), Finish: &finish})...)
	f.Put(w.File(bundle.Jsonl), lines)
	for _, kind := range []string{bundle.Hlog, bundle.Bins, bundle.Jsonl} {
		f.End(w.File(kind))
	}
}

// arrivals are 1,000 gaps by the law; the tolerance moves them by a step, and skewed to one
// side so many more.
func (s *Situation) arrivals() *bundle.Arrivals {
	a := &bundle.Arrivals{Each: 10, Short: make([]int64, bundle.ArrivalSteps), Long: make([]int64, bundle.ArrivalSteps)}
	for i := range bundle.ArrivalSteps {
		a.Short[max(0, min(i+1-s.Skewed, bundle.ArrivalSteps-1))] += 10
		a.Long[max(0, i-1-s.Skewed)] += 10
	}
	return a
}

// lagRows are the rows of the sends' lag: 300 µs each, but for some.
func (s *Situation) lagRows(t *testing.T, intended map[int64]int64) []byte {
	log := bundletest.Logged{}
	for at := range s.Scene.Duration / bundletest.Second {
		unix := s.Nanos(at*bundletest.Second) / instant.NanosPerSecond
		sends := intended[at]
		if s.Paced != nil {
			sends = s.Paced(at, sends)
		}
		log.RecordMany(unix, bundle.LagTag, 300, sends)
		if s.Lags != nil {
			sends, micros := s.Lags(at)
			log.RecordMany(unix, bundle.LagTag, micros, sends)
		}
	}
	return log.Bytes(t)
}

// recorded is what a worker wrote about operations.
type recorded struct {
	log, bins []byte
	intended  map[int64]int64 // by second

	ended, succeeded, neverStarted int64
}

// records holds what workers write of the usual script: compressing it takes most of the
// time of a test.
var records sync.Map

func (s *Situation) record(t *testing.T, index int) *recorded {
	key := fmt.Sprint(s.startNanos, s.Scene.Rate, s.Scene.Poisson, s.Scene.Duration, s.Workload().Load, index)
	if r, ok := records.Load(key); ok && !s.scripted {
		return r.(*recorded)
	}
	own := s.Scene
	own.Rate /= float64(s.Workload().Load.Workers)
	own.Seed = uint64(index)
	log, r := bundletest.Logged{}, &recorded{intended: map[int64]int64{}}
	script := own.Answer
	own.Answer = func(at int64) bundletest.Answer {
		a := script(at)
		r.intended[at/bundletest.Second]++
		if a.Never {
			r.neverStarted++
			return a
		}
		r.ended++
		if !a.Failed && !a.Absent && !a.Unknown {
			r.succeeded++
		}
		log.Operation(s.Nanos(at)/instant.NanosPerSecond, at, a, s.Workload().Load.Rate > 0)
		return a
	}
	r.bins = bundletest.BinsFile(s.startNanos, own.Play())
	r.log = log.Bytes(t)
	if !s.scripted {
		records.Store(key, r)
	}
	return r
}
