package measurements

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/hlog"
)

// Recording is the files that the workers of one workload wrote.
type Recording struct {
	Files   fs.FS
	Writers []bundle.Writer
	// MeasuredFrom is the second, in Unix time, with which the measurement begins. What comes before it
	// belongs to the warm-up.
	MeasuredFrom int64
	// MeasuredTo is the first second after the measurement. What is intended from then on belongs to the
	// cool-down. 0 says that the measurement lasts until the files' end.
	MeasuredTo int64
}

// phase of a second, in Unix time.
func (r *Recording) phase(second int64) string {
	switch {
	case second < r.MeasuredFrom:
		return report.PhaseWarmup
	case r.MeasuredTo != 0 && second >= r.MeasuredTo:
		return report.PhaseCooldown
	}
	return report.PhaseMeasurement
}

// row tells the histograms of a second apart.
type row struct {
	operation, outcome string
	response           bool // from the intended start; else from the send
}

// maxOpenBuckets bounds the histograms of the seconds that wait for their last part. A bucket takes 5 to 13
// bytes. The files of honest workers have few such seconds, since the logs are read side by side.
const maxOpenBuckets = 1 << 23

// eachSecond calls f for each second of the interval logs in which anything was intended, in the order of
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
	open, buckets := map[int64]map[row]*hdr.PackedHistogram{}, 0
	return r.eachInterval(func(in hlog.Interval) error {
		rows := open[in.UnixSeconds]
		if rows == nil {
			rows = map[row]*hdr.PackedHistogram{}
			open[in.UnixSeconds] = rows
		}
		of := row{in.Operation, in.Outcome, in.Response}
		before := populated(rows[of])
		if sum := rows[of]; sum == nil {
			rows[of] = in.Histogram
		} else if err := histogram.Merge(sum, in.Histogram); err != nil {
			return err
		}
		if buckets += populated(rows[of]) - before; buckets > maxOpenBuckets {
			return fmt.Errorf("rows are out of order: %d seconds wait for rows that come later", len(open))
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
			for _, h := range open[second] {
				buckets -= populated(h)
			}
			delete(open, second)
		}
		return nil
	})
}

func populated(h *hdr.PackedHistogram) int {
	if h == nil {
		return 0
	}
	return int(h.Populated())
}
