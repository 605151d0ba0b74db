package measurements

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strconv"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report/histogram"
)

// WriteCSV writes the interval log by second. Each second has a row for each operation, outcome and latency.
// Latencies are in microseconds, and each of the percentiles is a column. The columns that are given come last.
func (r *Recording) WriteCSV(to io.Writer, percentiles []float64, last ...Column) error {
	out := bufio.NewWriter(to)
	table := csv.NewWriter(out)
	_ = table.Write(csvHeader(percentiles, last)) // an error is kept until the end, here and below
	err := r.eachSecond(func(second int64, rows map[row]*hdr.PackedHistogram) error {
		r.writeSecond(table, second, rows, percentiles, last)
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

// Column of a table has the same value in all rows.
type Column struct{ Name, Value string }

func csvHeader(percentiles []float64, last []Column) []string {
	header := []string{"unix_seconds", "phase", "operation", "outcome", "latency", "operations", "average_us", "min_us", "max_us"}
	for _, p := range percentiles {
		header = append(header, "p"+strconv.FormatFloat(p, 'f', -1, 64)+"_us")
	}
	for _, c := range last {
		header = append(header, c.Name)
	}
	return header
}

func (r *Recording) writeSecond(table *csv.Writer, second int64, rows map[row]*hdr.PackedHistogram, percentiles []float64, last []Column) {
	phase := r.phase(second)
	for _, of := range slices.SortedFunc(maps.Keys(rows), compareRows) {
		latency := "service"
		if of.response {
			latency = "response"
		}
		h := rows[of]
		fields := []string{
			strconv.FormatInt(second, 10), phase, of.operation, of.outcome, latency,
			strconv.FormatInt(h.TotalCount(), 10), strconv.FormatFloat(mean(h), 'f', 1, 64),
			strconv.FormatInt(h.Min(), 10), strconv.FormatInt(h.Max(), 10),
		}
		for _, value := range histogram.Percentiles(h, percentiles...) {
			fields = append(fields, strconv.FormatInt(value, 10))
		}
		for _, c := range last {
			fields = append(fields, c.Value)
		}
		_ = table.Write(fields)
	}
}

func compareRows(a, b row) int {
	latency := func(of row) int {
		if of.response {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.operation, b.operation), cmp.Compare(a.outcome, b.outcome), cmp.Compare(latency(a), latency(b)))
}
