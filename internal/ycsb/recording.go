package ycsb

import (
	"maps"
	"slices"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/hlog"
)

// rowOf tells the histograms of a second apart.
type rowOf struct {
	operation, outcome string
	response           bool
}

// eachSecond gives f the seconds of the interval log in which anything was intended, in the order of
// time. What a log has of a second may be far apart: it is counted first, so that a second can be
// given up when its last part was read.
func eachSecond(r *run, f func(second int64, rows map[rowOf]*hdr.PackedHistogram) error) error {
	left := map[int64]int{}
	err := eachInterval(r, func(in hlog.Interval) error {
		left[in.UnixSeconds]++
		return nil
	})
	if err != nil {
		return err
	}
	open := map[int64]map[rowOf]*hdr.PackedHistogram{}
	return eachInterval(r, func(in hlog.Interval) error {
		rows := open[in.UnixSeconds]
		if rows == nil {
			rows = map[rowOf]*hdr.PackedHistogram{}
			open[in.UnixSeconds] = rows
		}
		of := rowOf{in.Operation, in.Outcome, in.Response}
		if sum := rows[of]; sum == nil {
			rows[of] = in.Histogram
		} else if err := histogram.Merge(sum, in.Histogram); err != nil {
			return err
		}
		left[in.UnixSeconds]--
		// What is complete is given once nothing before it is open: in order.
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

// eachInterval reads what the log has of latencies.
func eachInterval(r *run, each func(hlog.Interval) error) error {
	log, err := r.files().Open(r.writer().File(bundle.Hlog))
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
