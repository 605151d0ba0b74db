package measurements

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// Progress prints YCSB's status line now and then. A line's figures are those of the seconds since the last
// line. No other figure comes from it.
type Progress struct {
	To       io.Writer
	Label    string // stands before each line
	Every    time.Duration
	Open     bool          // the loop is open
	Interval string        // measurement.interval: which latencies are shown
	Todo     int64         // how many operations there will be; 0 if that isn't known
	Until    time.Duration // from the start, the warm-up included; 0 if only operations end the run
	Warmup   time.Duration

	begin, printed time.Time
	done, before   int64 // operations that ended: until now, and until the last line
	warmed         int64 // operations that ended before the warm-up did
	neverStarted   int64
	seen           [stores.NumKinds][2][2]*hdr.PackedHistogram
}

// Start begins to count time.
func (p *Progress) Start(at time.Time) { p.begin, p.printed = at, at }

// Second takes what was recorded in a second, and prints a line if it is time for one. A recorded second ends a
// moment before or after the clock's. So a time counts as reached half a second early.
func (p *Progress) Second(in *record.Interval, now time.Time) {
	p.done += in.Finished
	if now.Sub(p.begin) < p.Warmup+time.Second/2 {
		p.warmed = p.done
	}
	for _, bin := range in.Bins {
		p.neverStarted += bin.NeverStarted
	}
	in.Each(func(of record.Row, h *record.Histogram) {
		failed, intended := 0, 0
		if of.Outcome != stores.OK {
			failed = 1
		}
		if of.Response {
			intended = 1
		}
		sum := &p.seen[of.Kind][failed][intended]
		if *sum == nil {
			*sum = histogram.New()
		}
		h.Each(func(low, _, count int64) {
			_ = (*sum).RecordValues(low, count) // it is within the range: another histogram had it
		})
	})
	if now.Sub(p.printed) >= p.Every-time.Second/2 {
		p.Print(now)
	}
}

// Print prints a line about the time since the last one.
func (p *Progress) Print(now time.Time) {
	fmt.Fprintln(p.To, p.line(now))
	p.printed, p.before = now, p.done
	for kind := range p.seen {
		for failed := range p.seen[kind] {
			for _, h := range p.seen[kind][failed] {
				if h != nil {
					h.Reset()
				}
			}
		}
	}
}

// line is the line that YCSB's StatusThread writes.
func (p *Progress) line(now time.Time) string {
	var b strings.Builder
	elapsed := now.Sub(p.begin)
	fmt.Fprintf(&b, "%s%s:%03d %d sec: ", p.Label, now.Format("2006-01-02 15:04:05"), now.Nanosecond()/1e6, int64(elapsed.Seconds()))
	if elapsed < p.Warmup {
		b.WriteString("warm-up; ")
	}
	fmt.Fprintf(&b, "%d operations; ", p.done)
	if p.done > 0 {
		fmt.Fprintf(&b, "%s current ops/sec; ", shortDecimal(float64(p.done-p.before)/now.Sub(p.printed).Seconds()))
	}
	if p.neverStarted > 0 {
		fmt.Fprintf(&b, "%d never started; ", p.neverStarted)
	}
	if left, known := p.left(elapsed); known {
		fmt.Fprintf(&b, "est completion in %s ", inWords(left))
	}
	if p.Interval != workload.IntervalIntended {
		p.latencies(&b, "", false)
	}
	switch p.Interval {
	case workload.IntervalIntended:
		p.latencies(&b, "", p.Open)
	case workload.IntervalBoth:
		p.latencies(&b, bundle.IntendedPrefix, p.Open)
	}
	return strings.TrimRight(b.String(), " ")
}

// left is the time that is left: by the rate since the warm-up or by the clock, whichever is shorter.
func (p *Progress) left(elapsed time.Duration) (left time.Duration, known bool) {
	if counted := p.done - p.warmed; p.Todo > counted && counted > 0 {
		left, known = time.Duration(float64(elapsed-p.Warmup)*float64(p.Todo-counted)/float64(counted)), true
	}
	if p.Until > elapsed && (!known || p.Until-elapsed < left) {
		left, known = p.Until-elapsed, true
	}
	return left, known
}

func (p *Progress) latencies(b *strings.Builder, prefix string, response bool) {
	which := 0
	if response {
		which = 1
	}
	for kind := range stores.NumKinds {
		for failed, suffix := range []string{"", bundle.FailedSuffix} {
			h := p.seen[kind][failed][which]
			if h == nil || h.TotalCount() == 0 {
				continue
			}
			at := histogram.Percentiles(h, 50, 90, 99, 99.9, 99.99)
			fmt.Fprintf(b, "[%s%s%s: Count=%d, Max=%d, Min=%d, Avg=%s, 50=%d, 90=%d, 99=%d, 99.9=%d, 99.99=%d] ",
				prefix, kind, suffix, h.TotalCount(), h.Max(), h.Min(), shortDecimal(mean(h)), at[0], at[1], at[2], at[3], at[4])
		}
	}
}

// inWords is the time in days and hours, in hours and minutes, in minutes, or in seconds.
func inWords(d time.Duration) string {
	seconds := int64(math.Ceil(d.Seconds()))
	count := func(n int64, unit string) string {
		if n == 1 {
			return "1 " + unit
		}
		return fmt.Sprintf("%d %ss", n, unit)
	}
	days, hours, minutes := seconds/86400, seconds%86400/3600, seconds%3600/60
	switch {
	case days > 0:
		return count(days, "day") + " " + count(hours, "hour")
	case hours > 0:
		return count(hours, "hour") + " " + count(minutes, "minute")
	case minutes > 0:
		return count(minutes, "minute")
	}
	return count(seconds, "second")
}
