package ycsb

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strconv"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
)

// series of a CSV: one row for each second in which operations of a kind and outcome were
// intended, and for each of the two latencies of an open loop.
type rowOf struct {
	operation, outcome string
	response           bool
}

// writeCSV writes the interval log by second. A second may have several rows in the log:
// they are counted first, so that one is written, and given up, when its last was read.
func writeCSV(to io.Writer, r *run) error {
	left := map[int64]int{}
	err := eachInterval(r, func(in report.Interval) error {
		left[in.UnixSeconds]++
		return nil
	})
	if err != nil {
		return err
	}
	out := bufio.NewWriter(to)
	table := csv.NewWriter(out)
	_ = table.Write(csvHeader(r.client.Percentiles)) // an error is kept until the end, here and below
	open := map[int64]map[rowOf]*hdr.PackedHistogram{}
	err = eachInterval(r, func(in report.Interval) error {
		rows := open[in.UnixSeconds]
		if rows == nil {
			rows = map[rowOf]*hdr.PackedHistogram{}
			open[in.UnixSeconds] = rows
		}
		of := rowOf{in.Operation, in.Outcome, in.Response}
		if sum := rows[of]; sum == nil {
			rows[of] = in.Histogram
		} else if err := merge(sum, in.Histogram); err != nil {
			return err
		}
		left[in.UnixSeconds]--
		// What is complete is written once nothing before it is open: in order.
		for _, second := range slices.Sorted(maps.Keys(open)) {
			if left[second] > 0 {
				break
			}
			writeSecond(table, r, second, open[second])
			delete(open, second)
		}
		return nil
	})
	if err != nil {
		return err
	}
	table.Flush()
	if err := table.Error(); err != nil {
		return err
	}
	return out.Flush()
}

// eachInterval reads the log's rows of latencies.
func eachInterval(r *run, each func(report.Interval) error) error {
	log, err := r.files().Open(r.writer().File(bundle.Hlog))
	if err != nil {
		return err
	}
	defer log.Close()
	return report.ReadIntervals(log, func(in report.Interval) error {
		if in.Lag {
			return nil
		}
		return each(in)
	})
}

func csvHeader(percentiles []float64) []string {
	header := []string{"unix_seconds", "phase", "operation", "outcome", "latency", "operations", "average_us", "min_us", "max_us"}
	for _, p := range percentiles {
		header = append(header, "p"+strconv.FormatFloat(p, 'f', -1, 64)+"_us")
	}
	return header
}

func writeSecond(table *csv.Writer, r *run, second int64, rows map[rowOf]*hdr.PackedHistogram) {
	phase := report.PhaseMeasurement
	if second < r.measuredFrom {
		phase = report.PhaseWarmup
	}
	for _, of := range slices.SortedFunc(maps.Keys(rows), compareRows) {
		latency := "service"
		if of.response {
			latency = "response"
		}
		h := rows[of]
		row := []string{
			strconv.FormatInt(second, 10), phase, of.operation, of.outcome, latency,
			strconv.FormatInt(h.TotalCount(), 10), strconv.FormatFloat(mean(h), 'f', 1, 64),
			strconv.FormatInt(h.Min(), 10), strconv.FormatInt(h.Max(), 10),
		}
		for _, value := range h.ValueAtPercentilesSlice(r.client.Percentiles) {
			row = append(row, strconv.FormatInt(value, 10))
		}
		_ = table.Write(row)
	}
}

func compareRows(a, b rowOf) int {
	latency := func(of rowOf) int {
		if of.response {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.operation, b.operation), cmp.Compare(a.outcome, b.outcome), cmp.Compare(latency(a), latency(b)))
}
