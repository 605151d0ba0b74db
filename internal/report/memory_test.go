package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/fstest"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
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
func (w *written) Close() error               { return nil }

// longRun is the bundle of a long run at 1,000/s by two workers, with a fault in its middle.
type longRun struct {
	fstest.MapFS
	files map[string]*written
	start int64 // Unix seconds
}

func (l *longRun) Open(name string) (fs.File, error) {
	if f, ok := l.files[name]; ok {
		again := *f
		return &again, nil
	}
	return l.MapFS.Open(name)
}

// Stat and ReadFile of a MapFS know nothing of written files.
func (l *longRun) Stat(name string) (fs.FileInfo, error) { return fs.Stat(struct{ fs.FS }{l}, name) }

func newLongRun(t testing.TB, seconds int64, faulty bool) *longRun {
	t.Helper()
	s := newSituation()
	s.plan.Workloads[0].LoadFirst = false
	s.plan.Workloads[0].DurationMillis = seconds * 1000
	s.plan.Workloads[0].Load.WarmupMillis, s.plan.Workloads[0].Load.CooldownMillis = 0, 0
	s.plan.Faults[0].AtMillis = seconds * 500
	at := seconds / 2 * sec
	s.fault.RequestedUnixNanos, s.fault.InjectedAfterUnixNanos, s.fault.InjectedBeforeUnixNanos = s.nanos(at), s.nanos(at), s.nanos(at+100*ms)
	base := files{}
	if !faulty {
		s.plan.Faults = nil
	}
	base.put(bundle.PlanFile, line(s.plan))
	base.put(bundle.StartFile("a"), line(bundle.Start{StartUnixNanos: s.startNanos}))
	if faulty {
		base.put(bundle.FaultsFile, line(s.fault))
	}
	l := &longRun{MapFS: fstest.MapFS(base), files: map[string]*written{}, start: s.startNanos / second}
	add := func(name string, lines int64, one func([]byte, int64) []byte) { l.write(t, name, lines, one) }
	tags := []string{"READ", "UPDATE", bundle.IntendedPrefix + "READ", bundle.IntendedPrefix + "UPDATE",
		bundle.WaitPrefix + "READ", bundle.WaitPrefix + "UPDATE", bundle.LagTag}
	responses, lags := encoded(t, second500(t, 250, 1500)), encoded(t, second500(t, 500, 100))
	var claims []byte
	for index := range 2 {
		w := workerOf(index)
		claims = append(claims, line(bundle.Claim{Writer: w})...)
		add(w.File(bundle.Hlog), seconds*int64(len(tags)), func(dst []byte, n int64) []byte {
			tag, histogram := tags[n%int64(len(tags))], responses
			if tag == bundle.LagTag {
				histogram = lags
			}
			return fmt.Appendf(dst, "Tag=%s,%d.000,1.000,5.000,%s\n", tag, s.startNanos/second+n/int64(len(tags)), histogram)
		})
		add(w.File(bundle.Bins), seconds*chunkBins+1, func(dst []byte, n int64) []byte {
			if n == 0 {
				return bundle.AppendBinsHeader(dst, s.startNanos)
			}
			return fmt.Appendf(dst, "%d,5,0,0,5,300,9700,R0:2@1700,U0:2@1800;%d:1\n", n-1, 1+n%70)
		})
		add(w.File(bundle.Jsonl), seconds+2, func(dst []byte, n int64) []byte {
			self := bundle.SelfLine{AtUnixNanos: s.nanos(n * sec)}
			switch n {
			case 0:
				self.Clock = &bundle.Clock{BoundNanos: 100_000}
			case seconds + 1:
				self.Finish = &bundle.Finish{Operations: seconds * 500, Succeeded: seconds * 500, EndedUnixNanos: s.nanos(seconds * sec)}
			default:
				self.Second = &bundle.SelfSecond{LengthMicros: sec, Intended: 500, Sent: 500, InFlightMax: 7}
			}
			return append(dst, line(self)...)
		})
	}
	base.put(bundle.ClaimsFile, claims)
	observer := bundle.Writer{Role: bundle.RoleObserver, PodUID: podUID(900)}.File(bundle.Jsonl)
	add(observer, 2*seconds, func(dst []byte, n int64) []byte {
		l := topologyLine("m-1", 4, true)
		if n > seconds+1 {
			l = topologyLine("m-2", 5, true)
		}
		l.AtUnixNanos = s.nanos(n * 500 * ms)
		for i := range l.Members {
			l.Members[i].Commit = uint64(n)
		}
		return append(dst, line(l)...)
	})
	return l
}

// write makes or replaces a whole file.
func (l *longRun) write(t testing.TB, name string, lines int64, one func([]byte, int64) []byte) {
	t.Helper()
	w := &written{name: name, lines: lines, line: one}
	l.files[name] = w
	files(l.MapFS).put(name, nil) // for the listing
	again, digest := *w, sha256.New()
	length, err := io.Copy(digest, &again)
	if err != nil {
		t.Fatal(err)
	}
	files(l.MapFS).put(bundle.EndFile(name), line(bundle.End{Length: length, SHA256: hex.EncodeToString(digest.Sum(nil))}))
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

func heapBytes() int64 {
	runtime.GC()
	runtime.GC() // what pools held through the first
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// What is kept of a run grows with its seconds, by few bytes; what is kept of the hour after
// a fault has a bound of its own.
func TestALongRunTakesLittleMemory(t *testing.T) {
	const short, long, bytesOfSecond, bytesOfDetail = 150, 600, 450, 10_000
	held := func(seconds int64, faulty bool) int64 {
		run := newLongRun(t, seconds, faulty)
		before := heapBytes()
		in, err := readBundle(run)
		if err != nil {
			t.Fatal(err)
		}
		took := heapBytes() - before
		r, err := Merge(in)
		if err != nil {
			t.Fatal(err)
		}
		w := r.Workloads[0]
		if !r.Valid || w.Intended != seconds*1000 || int64(len(w.Series)) != seconds || w.Series[seconds-1].P99Micros == nil {
			t.Errorf("valid %t for %v: %d operations in %d seconds", r.Valid, r.InvalidReasons, w.Intended, len(w.Series))
		}
		runtime.KeepAlive(run)
		return took
	}
	little, more, detailed := held(short, false), held(long, false), held(long, true)
	if perSecond := (more - little) / (long - short); perSecond > bytesOfSecond {
		t.Errorf("a second takes %d bytes", perSecond)
	} else {
		t.Logf("a second takes %d bytes", perSecond)
	}
	if perSecond := (detailed - more) / (long/2 + detailLead); perSecond > bytesOfDetail {
		t.Errorf("a second after a fault takes %d bytes", perSecond)
	} else {
		t.Logf("a second after a fault takes %d bytes", perSecond)
	}
}

// BenchmarkDay reports a day at 1,000/s by two workers, the longest run that the API takes.
func BenchmarkDay(b *testing.B) {
	run := newLongRun(b, 24*3600, true)
	for b.Loop() {
		before, peak, over := heapBytes(), int64(0), make(chan struct{})
		percent := debug.SetGCPercent(20)
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			for {
				select {
				case <-over:
					return
				case <-time.After(20 * time.Millisecond):
				}
				var stats runtime.MemStats
				runtime.ReadMemStats(&stats)
				peak = max(peak, int64(stats.HeapAlloc))
			}
		}()
		in, err := readBundle(run)
		if err != nil {
			b.Fatal(err)
		}
		held := heapBytes() - before
		r, err := Merge(in)
		if err != nil {
			b.Fatal(err)
		}
		document, err := r.JSON()
		if err != nil {
			b.Fatal(err)
		}
		close(over)
		<-watched
		debug.SetGCPercent(percent)
		b.ReportMetric(float64(held)/1e6, "MB-held")
		b.ReportMetric(float64(peak-before)/1e6, "MB-peak")
		b.ReportMetric(float64(len(document))/1e6, "MB-report")
		if !r.Valid {
			b.Error(r.InvalidReasons)
		}
	}
}
