package reporttest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/fstest"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/timeline"
)

// written is a file whose lines are made while it is read: a day's would fill the memory
// that is to be measured.
type written struct {
	name  string
	lines int64
	line  func(dst []byte, n int64) []byte

	next int64
	rest []byte
	buf  []byte
}

func (w *written) Read(p []byte) (int, error) {
	for len(w.rest) == 0 {
		if w.next == w.lines {
			return 0, io.EOF
		}
		w.buf = w.line(w.buf[:0], w.next)
		w.rest = w.buf
		w.next++
	}
	n := copy(p, w.rest)
	w.rest = w.rest[n:]
	return n, nil
}

func (w *written) Stat() (fs.FileInfo, error) { return fs.Stat(fstest.MapFS{w.name: {}}, w.name) }

func (w *written) Close() error { return nil }

// LongRun is the bundle of a long run at 1,000/s by two workers, with a fault in its middle.
type LongRun struct {
	fstest.MapFS
	files map[string]*written
	Start int64 // Unix seconds
}

func (l *LongRun) Open(name string) (fs.File, error) {
	if f, ok := l.files[name]; ok {
		again := *f
		return &again, nil
	}
	return l.MapFS.Open(name)
}

// Stat and ReadFile of a MapFS know nothing of written files.
func (l *LongRun) Stat(name string) (fs.FileInfo, error) { return fs.Stat(struct{ fs.FS }{l}, name) }

// NewLongRun is a run of so many seconds by two workers, with a fault in its middle if it is faulty.
func NewLongRun(t testing.TB, seconds int64, faulty bool) *LongRun {
	t.Helper()
	return NewLongRunOf(t, seconds, 2, faulty)
}

// NewLongRunOf is such a run by so many workers, each of which makes 500 operations/s.
func NewLongRunOf(t testing.TB, seconds int64, workers int, faulty bool) *LongRun {
	t.Helper()
	s := NewSituation()
	s.Plan.Workloads[0].Load.Workers, s.Plan.Workloads[0].Load.Rate = workers, 500*float64(workers)
	s.Plan.Workloads[0].LoadFirst = false
	s.Plan.Workloads[0].DurationMillis = seconds * 1000
	s.Plan.Workloads[0].Load.WarmupMillis, s.Plan.Workloads[0].Load.CooldownMillis = 0, 0
	s.Plan.Faults[0].AtMillis = seconds * 500
	at := seconds / 2 * bundletest.Second
	s.Fault.RequestedUnixNanos, s.Fault.InjectedAfterUnixNanos, s.Fault.InjectedBeforeUnixNanos = s.Nanos(at), s.Nanos(at), s.Nanos(at+100*bundletest.Millisecond)
	base := bundletest.Files{}
	if !faulty {
		s.Plan.Faults = nil
	}
	base.Put(bundle.PlanFile, bundletest.Line(s.Plan))
	base.Put(bundle.StartFile("a"), bundletest.Line(bundle.Start{StartUnixNanos: s.startNanos}))
	if faulty {
		base.Put(bundle.FaultsFile, bundletest.Line(s.Fault))
	}
	l := &LongRun{MapFS: fstest.MapFS(base), files: map[string]*written{}, Start: s.startNanos / instant.NanosPerSecond}
	add := func(name string, lines int64, one func([]byte, int64) []byte) { l.Write(t, name, lines, one) }
	tags := []string{"READ", "UPDATE", bundle.IntendedPrefix + "READ", bundle.IntendedPrefix + "UPDATE",
		bundle.WaitPrefix + "READ", bundle.WaitPrefix + "UPDATE", bundle.LagTag}
	responses, lags := bundletest.Encoded(t, second500(t, 250, 1500)), bundletest.Encoded(t, second500(t, 500, 100))
	var claims []byte
	for index := range workers {
		w := bundletest.WorkerOf(index)
		claims = append(claims, bundletest.Line(bundle.Claim{Writer: w})...)
		add(w.File(bundle.Hlog), seconds*int64(len(tags)), func(dst []byte, n int64) []byte {
			tag, histogram := tags[n%int64(len(tags))], responses
			if tag == bundle.LagTag {
				histogram = lags
			}
			return fmt.Appendf(dst, "Tag=%s,%d.000,1.000,5.000,%s\n", tag, s.startNanos/instant.NanosPerSecond+n/int64(len(tags)), histogram)
		})
		add(w.File(bundle.Bins), seconds*timeline.ChunkBins+1, func(dst []byte, n int64) []byte {
			if n == 0 {
				return bundle.AppendBinsHeader(dst, s.startNanos)
			}
			return fmt.Appendf(dst, "%d,5,0,0,5,300,9700,R0:2@1700,U0:2@1800;%d:1\n", n-1, 1+n%70)
		})
		add(w.File(bundle.Jsonl), seconds+2, func(dst []byte, n int64) []byte {
			self := bundle.SelfLine{AtUnixNanos: s.Nanos(n * bundletest.Second)}
			switch n {
			case 0:
				self.Clock = &bundle.Clock{BoundNanos: 100_000}
			case seconds + 1:
				self.Finish = &bundle.Finish{Operations: seconds * 500, Succeeded: seconds * 500, EndedUnixNanos: s.Nanos(seconds * bundletest.Second)}
			default:
				self.Second = &bundle.SelfSecond{LengthMicros: bundletest.Second, Intended: 500, Sent: 500, InFlightMax: 7}
			}
			return append(dst, bundletest.Line(self)...)
		})
	}
	base.Put(bundle.ClaimsFile, claims)
	observer := bundle.Writer{Role: bundle.RoleObserver, PodUID: bundletest.PodUID(900)}.File(bundle.Jsonl)
	add(observer, 2*seconds, func(dst []byte, n int64) []byte {
		l := bundletest.TopologyLine("m-1", 4, true)
		if n > seconds+1 {
			l = bundletest.TopologyLine("m-2", 5, true)
		}
		l.AtUnixNanos = s.Nanos(n * 500 * bundletest.Millisecond)
		for i := range l.Members {
			l.Members[i].Commit = uint64(n)
		}
		return append(dst, bundletest.Line(l)...)
	})
	return l
}

// Write makes or replaces a whole file.
func (l *LongRun) Write(t testing.TB, name string, lines int64, one func([]byte, int64) []byte) {
	t.Helper()
	w := &written{name: name, lines: lines, line: one}
	l.files[name] = w
	bundletest.Files(l.MapFS).Put(name, nil) // for the listing
	again, digest := *w, sha256.New()
	length, err := io.Copy(digest, &again)
	if err != nil {
		t.Fatal(err)
	}
	bundletest.Files(l.MapFS).Put(bundle.EndFile(name), bundletest.Line(bundle.End{Length: length, SHA256: hex.EncodeToString(digest.Sum(nil))}))
}

// second500 is so many times of a second of 500 operations, half of them above the median. Reads and
// updates, 250 each, have rows of their own.
func second500(t testing.TB, operations int, medianMicros float64) *hdr.Histogram {
	random := rand.New(rand.NewPCG(1, 2))
	h := hdr.New(1, bundle.HistogramMaxMicros, bundle.HistogramDigits)
	for range operations {
		if err := h.RecordValue(int64(medianMicros * math.Exp(random.NormFloat64()/2))); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// HeapBytes is how much of the heap is in use.
func HeapBytes() int64 {
	runtime.GC()
	runtime.GC() // what pools held through the first
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
