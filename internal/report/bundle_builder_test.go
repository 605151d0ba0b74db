package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/fstest"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// A situation is a run whose bundle is written to memory as the pods would write it: one
// workload "a" of 2 s warm-up, 20 s and 5 s cool-down, whose leader is killed after 8 s.
// Tests change its parts before build, or its files after.
type situation struct {
	plan       plan.Plan
	scene      scene
	startNanos int64
	self       func(second int64, s *bundle.SelfSecond) // from the workload's start
	first      func(second int64, s *bundle.SelfSecond) // of the first worker alone
	lags       func(second int64) (sends, micros int64) // beside those of the usual 300 µs
	paced      func(second, due int64) int64            // how many of those that were due a worker intended
	skewed     int                                      // steps of the arrivals
	clock      bundle.Clock
	finish     bundle.Finish
	fault      *bundle.FaultLine
	topology   []bundle.TopologyLine
	errors     []bundle.ErrorSeen
	scripted   bool // the store's answers are not the usual ones
}

// answers gives the store another script.
func (s *situation) answers(script func(int64) answer) {
	s.scene.answer, s.scripted = script, true
}

const etcdValues = `{"image":{"repository":"quay.io/coreos/etcd","tag":"v3.7.3"},"nodes":3,"settings":{"heartbeat-interval":100}}`

const killedAt = 10 * sec // from the workload's start

func newSituation() *situation {
	s := &situation{
		startNanos: 1_800_000_000 * second,
		scene:      scene{rate: 1000, poisson: true, duration: 27 * sec, answer: swallow(killedAt+30*ms, killedAt+3030*ms, 2*sec)},
		clock:      bundle.Clock{OffsetNanos: 5_000_000, BoundNanos: 100_000},
	}
	s.plan = plan.Plan{
		Format: plan.Format,
		Run:    plan.Run{Namespace: "bench", Name: "leader-kill", UID: "11111111-1111-4111-8111-111111111111", ID: "leader-kill-1a2b3c"},
		Seed:   42,
		Store: plan.Store{
			Name: "etcd", Driver: "etcd", Mode: "linearizable", Promise: string(stores.PromiseLinearizable), Version: "v3.7.3", Chart: "etcd",
			Values: json.RawMessage(`{}`), EffectiveValues: json.RawMessage(etcdValues), Container: "etcd", Consensus: true, Persistent: true, WholeRecord: true,
			Members: []plan.Member{{Index: 0, Name: "m-0"}, {Index: 1, Name: "m-1"}, {Index: 2, Name: "m-2"}},
		},
		Workloads: []plan.Workload{{
			Name: "a", Preset: "A", Properties: map[string]string{"fieldcount": "10"},
			Records: 1000, LoadFirst: true, DurationMillis: 20_000,
			Load: plan.Load{Workers: 2, Threads: 8, Rate: 1000, Arrivals: plan.ArrivalsPoisson, MaxInFlight: 3000,
				WarmupMillis: 2_000, CooldownMillis: 5_000, OperationTimeoutMillis: 2_000},
		}},
		Faults: []plan.Fault{{Name: "kill", Action: "ContainerKill", Workload: "a", Target: plan.Target{Role: plan.RoleLeader}, AtMillis: 8_000, DeadlineMillis: 30_000}},
	}
	s.fault = &bundle.FaultLine{
		Name: "kill", Workload: "a", Action: "ContainerKill", Target: "m-1", Role: plan.RoleLeader,
		RequestedUnixNanos:      s.nanos(killedAt),
		InjectedAfterUnixNanos:  s.nanos(killedAt + 10*ms),
		InjectedBeforeUnixNanos: s.nanos(killedAt + 200*ms),
		LeaderBefore:            "m-1", TermBefore: 4,
	}
	s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
	s.observe(killedAt+130*ms, killedAt+2930*ms, 250*ms, topologyLine("", 4, false))
	s.observe(killedAt+2930*ms, killedAt+8*sec, 500*ms, topologyLine("m-2", 5, false))
	s.observe(killedAt+8*sec, 32*sec, 500*ms, topologyLine("m-2", 5, true))
	return s
}

func (s *situation) nanos(fromStart int64) int64 { return s.startNanos + fromStart*micro }

// shift moves everything in time.
func (s *situation) shift(nanos int64) {
	s.startNanos += nanos
	s.fault.RequestedUnixNanos += nanos
	s.fault.InjectedAfterUnixNanos += nanos
	s.fault.InjectedBeforeUnixNanos += nanos
	for i := range s.topology {
		s.topology[i].AtUnixNanos += nanos
	}
}

func (s *situation) workload() *plan.Workload { return &s.plan.Workloads[0] }

// observe replaces what the observer saw in [from, to).
func (s *situation) observe(from, to, every int64, line bundle.TopologyLine) {
	s.silence(from, to)
	for at := from; at < to; at += every {
		line.AtUnixNanos = s.nanos(at)
		s.topology = append(s.topology, line)
	}
}

// silence removes what the observer saw in [from, to).
func (s *situation) silence(from, to int64) {
	s.topology = slices.DeleteFunc(s.topology, func(l bundle.TopologyLine) bool {
		return l.AtUnixNanos >= s.nanos(from) && l.AtUnixNanos < s.nanos(to)
	})
}

func topologyLine(leader string, term uint64, steady bool) bundle.TopologyLine {
	line := bundle.TopologyLine{Leader: leader, Term: term, Steady: steady}
	for _, name := range []string{"m-0", "m-1", "m-2"} {
		m := stores.MemberState{Name: name, Role: stores.MemberFollower, Healthy: steady, Term: term, Leader: leader}
		if name == leader {
			m.Role = stores.MemberLeader
		}
		line.Members = append(line.Members, m)
	}
	return line
}

// files of a bundle, by name.
type files fstest.MapFS

func (f files) put(name string, data []byte) { f[name] = &fstest.MapFile{Data: data} }

// end marks a file as complete.
func (f files) end(name string) {
	digest := sha256.Sum256(f[name].Data)
	f.put(bundle.EndFile(name), line(bundle.End{Length: int64(len(f[name].Data)), SHA256: hex.EncodeToString(digest[:])}))
}

// addLine adds to a whole file. Tests share what was recorded, so it is not added in place.
func (f files) addLine(name, text string) {
	f.put(name, slices.Concat(f[name].Data, []byte(text)))
	f.end(name)
}

func (f files) fs() fs.FS { return fstest.MapFS(f) }

func line(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return append(data, '\n')
}

func podUID(n int) string { return fmt.Sprintf("22222222-2222-4222-8222-%012d", n) }

func workerOf(index int) bundle.Writer {
	return bundle.Writer{Role: bundle.RoleWorker, Workload: "a", Index: index, PodUID: podUID(index)}
}

func loaderOf(index, attempt int) bundle.Writer {
	return bundle.Writer{Role: bundle.RoleLoad, Workload: "a", Index: index, PodUID: podUID(100 + 10*index + attempt)}
}

// build writes the bundle.
func (s *situation) build(t *testing.T) files {
	t.Helper()
	f := files{}
	f.put(bundle.PlanFile, line(s.plan))
	f.put(bundle.StartFile("a"), line(bundle.Start{StartUnixNanos: s.startNanos}))
	if s.fault != nil {
		f.put(bundle.FaultsFile, line(s.fault))
	}
	var topology, claims []byte
	slices.SortFunc(s.topology, func(a, b bundle.TopologyLine) int { return int(a.AtUnixNanos/1000 - b.AtUnixNanos/1000) })
	for _, l := range s.topology {
		topology = append(topology, line(l)...)
	}
	f.put(bundle.Writer{Role: bundle.RoleObserver, PodUID: podUID(900)}.File(bundle.Jsonl), topology)
	for index := range s.workload().Load.Workers {
		claims = append(claims, line(bundle.Claim{Writer: loaderOf(index, 0)})...)
		claims = append(claims, line(bundle.Claim{Writer: workerOf(index)})...)
		s.buildLoader(t, f, index)
		s.buildWorker(t, f, index)
	}
	f.put(bundle.ClaimsFile, claims)
	return f
}

func (s *situation) buildLoader(t *testing.T, f files, index int) {
	w := loaderOf(index, 0)
	inserts := logged{}
	for i := range 500 {
		inserts.record(s.startNanos/second-100, "INSERT", int64(1000+i))
	}
	f.put(w.File(bundle.Hlog), inserts.bytes(t))
	f.put(w.File(bundle.Jsonl), line(bundle.SelfLine{Finish: &bundle.Finish{
		StartedUnixNanos: s.nanos(-100 * sec), EndedUnixNanos: s.nanos(-98 * sec), Operations: 500, Succeeded: 500, Inserted: 500}}))
	f.end(w.File(bundle.Hlog))
	f.end(w.File(bundle.Jsonl))
}

func (s *situation) buildWorker(t *testing.T, f files, index int) {
	r := s.record(t, index)
	w := workerOf(index)
	f.put(w.File(bundle.Hlog), append(slices.Clone(r.log), s.lagRows(t, r.intended)...))
	f.put(w.File(bundle.Bins), r.bins)
	lines := line(bundle.SelfLine{AtUnixNanos: s.nanos(-sec), Clock: &s.clock})
	for i := range s.scene.duration / sec {
		self := bundle.SelfSecond{LengthMicros: sec, InFlightMax: 20, Intended: r.intended[i], Sent: r.intended[i],
			ThrottledMicros: new(int64), StoppedMicros: new(int64),
			Cores:   &bundle.Cores{Count: 2, RanMicros: 100_000},
			Machine: &bundle.Machine{Cores: 2, Usable: 2, IdleMicros: 1_500_000, OwnMicros: 100_000}}
		if s.self != nil {
			s.self(i, &self)
		}
		if s.first != nil && index == 0 {
			s.first(i, &self)
		}
		lines = append(lines, line(bundle.SelfLine{AtUnixNanos: s.nanos((i + 1) * sec), Second: &self})...)
	}
	if s.errors != nil {
		lines = append(lines, line(bundle.SelfLine{AtUnixNanos: s.nanos(27 * sec), Errors: s.errors})...)
	}
	finish := s.finish
	if s.workload().Load.Rate > 0 {
		finish.Arrivals = s.arrivals()
	}
	finish.Operations += r.ended
	finish.Succeeded += r.succeeded
	finish.NeverStarted += r.neverStarted
	finish.StartedUnixNanos, finish.EndedUnixNanos = s.startNanos, s.nanos(s.scene.duration)
	lines = append(lines, line(bundle.SelfLine{AtUnixNanos: s.nanos(28 * sec), Finish: &finish})...)
	f.put(w.File(bundle.Jsonl), lines)
	for _, kind := range []string{bundle.Hlog, bundle.Bins, bundle.Jsonl} {
		f.end(w.File(kind))
	}
}

// arrivals are 1,000 gaps by the law; the tolerance moves them by a step, and skewed to one
// side so many more.
func (s *situation) arrivals() *bundle.Arrivals {
	a := &bundle.Arrivals{Each: 10, Short: make([]int64, bundle.ArrivalSteps), Long: make([]int64, bundle.ArrivalSteps)}
	for i := range bundle.ArrivalSteps {
		a.Short[max(0, min(i+1-s.skewed, bundle.ArrivalSteps-1))] += 10
		a.Long[max(0, i-1-s.skewed)] += 10
	}
	return a
}

// lagRows are the rows of the sends' lag: 300 µs each, but for some.
func (s *situation) lagRows(t *testing.T, intended map[int64]int64) []byte {
	log := logged{}
	for at := range s.scene.duration / sec {
		unix := s.nanos(at*sec) / second
		sends := intended[at]
		if s.paced != nil {
			sends = s.paced(at, sends)
		}
		log.recordMany(unix, bundle.LagTag, 300, sends)
		if s.lags != nil {
			sends, micros := s.lags(at)
			log.recordMany(unix, bundle.LagTag, micros, sends)
		}
	}
	return log.bytes(t)
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

func (s *situation) record(t *testing.T, index int) *recorded {
	key := fmt.Sprint(s.startNanos, s.scene.rate, s.scene.poisson, s.scene.duration, s.workload().Load, index)
	if r, ok := records.Load(key); ok && !s.scripted {
		return r.(*recorded)
	}
	own := s.scene
	own.rate /= float64(s.workload().Load.Workers)
	own.seed = uint64(index)
	log, r := logged{}, &recorded{intended: map[int64]int64{}}
	script := own.answer
	own.answer = func(at int64) answer {
		a := script(at)
		r.intended[at/sec]++
		if a.never {
			r.neverStarted++
			return a
		}
		r.ended++
		if !a.failed && !a.absent && !a.unknown {
			r.succeeded++
		}
		log.operation(s.nanos(at)/second, at, a, s.workload().Load.Rate > 0)
		return a
	}
	r.bins = binsFile(s.startNanos, own.play())
	r.log = log.bytes(t)
	if !s.scripted {
		records.Store(key, r)
	}
	return r
}

func binsFile(startNanos int64, bins recording) []byte {
	return bundle.AppendBins(bundle.AppendBinsHeader(nil, startNanos), bins.bins())
}

// logged is an interval log that the HdrHistogram library writes.
type logged map[string]map[int64]*hdr.PackedHistogram

func (l logged) record(unixSecond int64, tag string, micros int64) {
	l.recordMany(unixSecond, tag, micros, 1)
}

func (l logged) recordMany(unixSecond int64, tag string, micros, count int64) {
	if l[tag] == nil {
		l[tag] = map[int64]*hdr.PackedHistogram{}
	}
	h := l[tag][unixSecond]
	if h == nil {
		h = hdr.NewPacked(1, bundle.HistogramMaxMicros, bundle.HistogramDigits)
		h.SetTag(tag)
		h.SetStartTimeMs(unixSecond * 1000)
		h.SetEndTimeMs(unixSecond*1000 + 1000)
		l[tag][unixSecond] = h
	}
	if err := h.RecordValues(micros, count); err != nil {
		panic(err)
	}
}

// operation is a read or an update, by turns; its service took 1 ms less than its response.
func (l logged) operation(unixSecond, at int64, a answer, open bool) {
	tag := kindOf(at).String()
	switch {
	case a.failed || a.absent:
		tag += bundle.FailedSuffix
	case a.unknown:
		tag += bundle.UnknownSuffix
	}
	l.record(unixSecond, tag, max(a.took-ms, 0))
	if open {
		l.record(unixSecond, bundle.IntendedPrefix+tag, a.took)
		l.record(unixSecond, bundle.WaitPrefix+tag, a.took-max(a.took-ms, 0))
	}
}

func (l logged) bytes(t *testing.T) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := hdr.NewHistogramLogWriter(&buffer)
	if err := w.OutputLogFormatVersion(); err != nil {
		t.Fatal(err)
	}
	if err := w.OutputLegend(); err != nil {
		t.Fatal(err)
	}
	for _, tag := range slices.Sorted(maps.Keys(l)) {
		for _, unixSecond := range slices.Sorted(maps.Keys(l[tag])) {
			if err := w.OutputIntervalPackedHistogram(l[tag][unixSecond]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return buffer.Bytes()
}
