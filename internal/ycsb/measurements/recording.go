package measurements

import (
	"io/fs"
	"maps"
	"slices"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/hlog"
)

// Recording is the files that one worker wrote.
type Recording struct {
	Files  fs.FS
	Writer bundle.Writer
	// MeasuredFrom is the second, in Unix time, with which the measurement begins. What comes before it
	// belongs to the warm-up.
	MeasuredFrom int64
}

// row tells the histograms of a second apart.
type row struct {
	operation, outcome string
	response           bool // from the intended start; else from the send
}

// eachSecond calls f for each second of the interval log in which anything was intended, in the order of
// time. The parts of a second may be far apart in a log. So the parts are counted in a first pass, and a
// second's histograms are let go of as soon as its last part was read.
func (r *Recording) eachSecond(f func(second int64, rows map[row]*hdr.PackedHistogram) error) error {
	left := map[int64]int{}
	err := r.eachInterval(func(in hlog.Interval) error {
		left[in.UnixSeconds]++
		return nil
	})
	if err != nil {
		return err
	}
	open := map[int64]map[row]*hdr.PackedHistogram{}
	return r.eachInterval(func(in hlog.Interval) error {
		rows := open[in.UnixSeconds]
		if rows == nil {
			rows = map[row]*hdr.PackedHistogram{}
			open[in.UnixSeconds] = rows
		}
		of := row{in.Operation, in.Outcome, in.Response}
		if sum := rows[of]; sum == nil {
			rows[of] = in.Histogram
		} else if err := histogram.Merge(sum, in.Histogram); err != nil {
			return err
		}
		left[in.UnixSeconds]--
		// A complete second waits until all seconds before it are complete.
		for _, second := range slices.Sorted(maps.Keys(open)) {
			if left[second] > 0 {
				break
			}
			if err := f(second, open[second]); err != nil {
				return err
			}
			delete(open, second)
		}
		return nil
	})
}

// eachInterval calls each for the latencies in the interval log, in the log's order.
func (r *Recording) eachInterval(each func(hlog.Interval) error) error {
	log, err := r.Files.Open(r.Writer.File(bundle.Hlog))
	if err != nil {
		return err
	}
	defer log.Close()
	return hlog.ReadIntervals(log, func(in hlog.Interval) error {
		if in.Lag {
			return nil
		}
		return each(in)
	})
}
