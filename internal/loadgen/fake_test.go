package loadgen

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"sync"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/pace"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/stores/scripted"
)

// results is a results server in memory.
type results struct {
	clock  *Clock
	offset time.Duration // of the server's clock
	notice time.Duration // between a start's publication and the start
	begun  func(at time.Time)

	mu      sync.Mutex
	stepped time.Duration // the clock, since the start
	away    int           // so many requests fail first
	why     error         // they do; nil is for a server that isn't there
	claims  map[bundle.Writer]bool
	other   bool // another pod has claimed
	full    bool // nearly
	files   map[string][]byte
	ended   map[string]bool
	marks   map[string]bundle.End
}

func newResults(clock *Clock) *results {
	return &results{
		clock: clock, offset: 3 * time.Hour, notice: 800 * time.Millisecond, begun: func(time.Time) {},
		claims: map[bundle.Writer]bool{}, files: map[string][]byte{}, ended: map[string]bool{}, marks: map[string]bundle.End{},
	}
}

func (r *results) trouble() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away > 0 {
		r.away--
		if r.why != nil {
			return r.why
		}
		return &client.Error{Status: 503}
	}
	return nil
}

func (r *results) setAway(requests int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = requests
}

func (r *results) Claim(_ context.Context, _ string, w bundle.Writer) error {
	if err := r.trouble(); err != nil {
		return err
	}
	if r.other {
		return &client.Error{Status: 409, Problem: wire.Problem{Reason: wire.ReasonClaimed}}
	}
	r.claims[w] = true
	return nil
}

func (r *results) AwaitStart(context.Context, string, string) (bundle.Start, error) {
	begin := r.clock.Now().Add(r.notice)
	r.begun(begin)
	return bundle.Start{StartUnixNanos: begin.Add(r.offset).UnixNano()}, nil
}

func (r *results) EstimateClock(context.Context, int) (bundle.Clock, error) {
	if err := r.trouble(); err != nil {
		return bundle.Clock{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return bundle.Clock{OffsetNanos: int64(r.offset + r.stepped), BoundNanos: 1000}, nil
}

// step sets the server's clock.
func (r *results) step(by time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stepped = by
}

func (r *results) Append(_ context.Context, _, name string, offset int64, data []byte) (int64, error) {
	if err := r.trouble(); err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	length := int64(len(r.files[name]))
	if offset != length {
		return length, &client.Error{Status: 409, Problem: wire.Problem{Reason: wire.ReasonOffset, Length: length}}
	}
	r.files[name] = append(r.files[name], data...)
	return int64(len(r.files[name])), nil
}

func (r *results) NearlyFull() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.full
}

func (r *results) setFull(full bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.full = full
}

func (r *results) End(_ context.Context, _, name string, mark bundle.End) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum := sha256.Sum256(r.files[name])
	if mark.Length != int64(len(r.files[name])) || mark.SHA256 != hex.EncodeToString(sum[:]) {
		return &client.Error{Status: 409, Problem: wire.Problem{Reason: wire.ReasonDigest}}
	}
	r.ended[name] = true
	r.marks[name] = mark
	return nil
}

func realWaiter() waiter { return pace.NewWaiter() }

// job is worker 0 of a run on a scripted store; the script counts from the start.
func job(t *testing.T, script scripted.Script, properties map[string]string, load plan.Load) (*Job, *results, *scripted.Store) {
	t.Helper()
	clock := NewClock(time.Now)
	server := newResults(clock)
	store := scripted.New(script)
	server.begun = store.Begin
	if load.Workers == 0 {
		load.Workers = 1
	}
	if load.OperationTimeoutMillis == 0 {
		load.OperationTimeoutMillis = 500
	}
	p := &plan.Plan{
		Run: plan.Run{UID: "run"}, Seed: 42,
		Store:     plan.Store{Name: "scripted"},
		Workloads: []plan.Workload{{Name: "a", Properties: properties, Records: 1000, InsertBase: 1000, Load: load}},
	}
	return &Job{
		Plan: p, Workload: &p.Workloads[0], PodUID: "pod", DataDir: t.TempDir(),
		Store: store.Entry(), Results: server, Clock: clock, Metrics: NewMetrics(p.Store.Name, "a"), Say: t.Logf, Armed: func() {},
	}, server, store
}

// shipped is what the server has of the only worker's files.
type shipped struct {
	bins    []bundle.Bin
	sum     bundle.Bin
	rows    map[string]int64 // operations by tag
	hists   map[string]*hdr.Histogram
	lines   []bundle.SelfLine
	finish  *bundle.Finish
	seconds bundle.SelfSecond // added up
	errors  map[string]int64  // by operation, outcome and code
}

func (r *results) read(t *testing.T, writer bundle.Writer) *shipped {
	t.Helper()
	s := &shipped{sum: bundle.NewBin(0), rows: map[string]int64{}, hists: map[string]*hdr.Histogram{}, errors: map[string]int64{}}
	if file, ok := r.files[writer.File(bundle.Bins)]; ok {
		_, err := bundle.ReadBins(bytes.NewReader(file), func(b *bundle.Bin) error {
			s.bins = append(s.bins, *b)
			s.sum.Add(b)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	reader := hdr.NewHistogramLogReader(bytes.NewReader(r.files[writer.File(bundle.Hlog)]))
	for {
		h, err := reader.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		s.rows[h.Tag()] += h.TotalCount()
		if s.hists[h.Tag()] == nil {
			s.hists[h.Tag()] = hdr.New(1, bundle.HistogramMaxMicros, bundle.HistogramDigits)
		}
		if dropped := s.hists[h.Tag()].Merge(h); dropped != 0 {
			t.Fatalf("merging dropped %d values", dropped)
		}
	}
	for lines := json.NewDecoder(bytes.NewReader(r.files[writer.File(bundle.Jsonl)])); ; {
		var line bundle.SelfLine
		if err := lines.Decode(&line); err == io.EOF {
			return s
		} else if err != nil {
			t.Fatal(err)
		}
		s.add(line)
	}
}

func (s *shipped) add(line bundle.SelfLine) {
	s.lines = append(s.lines, line)
	s.finish = line.Finish
	if line.Second != nil {
		s.seconds.Intended += line.Second.Intended
		s.seconds.Sent += line.Second.Sent
		s.seconds.Late += line.Second.Late
		s.seconds.Limited += line.Second.Limited
		s.seconds.InFlightMax = max(s.seconds.InFlightMax, line.Second.InFlightMax)
	}
	for _, e := range line.Errors {
		s.errors[e.Operation+" "+e.Outcome+" "+e.Code] += e.Count
	}
}

// lagsOf sums up the lags of what a set recorded.
func lagsOf(set *record.Set) *hdr.Histogram {
	sum := hdr.New(1, bundle.HistogramMaxMicros, bundle.HistogramDigits)
	set.Collect().EachLag(func(_ int64, h *record.Histogram) {
		h.Each(func(_, high, count int64) {
			if err := sum.RecordValues(high, count); err != nil {
				panic(err)
			}
		})
	})
	return sum
}
