package ycsb

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// entry is one line of YCSB's output. Value is an int64 or a float64.
type entry struct {
	metric, measurement string
	value               any
}

// figures are what YCSB's output is made of.
type figures struct {
	runtimeMillis int64
	operations    int64 // of any outcome; a read-modify-write is one
	open          bool  // else a response time is the service time
	*measured
	report   *report.Report // nil when the worker did not get to its end
	own      *own           // nil when nobody looked
	verified bool           // reads were compared with what dataintegrity says
}

// entries are YCSB's output in its order: OVERALL, then each kind of operation, and of each
// the successes before the failures.
func (f *figures) entries(c *workload.Client) []entry {
	list := []entry{
		{"OVERALL", "RunTime(ms)", f.runtimeMillis},
		{"OVERALL", "Throughput(ops/sec)", perSecond(f.operations, f.runtimeMillis)},
	}
	if f.own != nil {
		list = append(list, f.own.gcEntries(f.runtimeMillis)...)
	}
	list = append(list, f.operationEntries(c, "", c.MeasurementInterval == workload.IntervalIntended, true)...)
	if c.MeasurementInterval == workload.IntervalBoth {
		list = append(list, f.operationEntries(c, bundle.IntendedPrefix, true, false)...)
	}
	if f.verified {
		list = append(list, f.verifications()...)
	}
	return list
}

// verifications are how the comparisons of reads ended. They have no latency of their own.
func (f *figures) verifications() []entry {
	ok, failed := f.count(stores.Read.String(), false), map[string]int64{}
	for _, e := range f.counted {
		if e.Operation == stores.Read.String() && (e.Code == workload.Mismatch.String() || e.Code == workload.Nothing.String()) {
			failed[e.Code] += e.Count
		}
	}
	const metric = "VERIFY"
	var list []entry
	sum := ok
	if ok > 0 {
		list = append(list, entry{metric, "Return=OK", ok})
	}
	for _, code := range slices.Sorted(maps.Keys(failed)) {
		list = append(list, entry{metric, "Return=" + code, failed[code]})
		sum += failed[code]
	}
	return append([]entry{{metric, "Operations", sum}}, list...)
}

// perSecond is NaN without any time, as in Java.
func perSecond(operations, millis int64) float64 {
	return 1000 * float64(operations) / float64(millis)
}

func (f *figures) operationEntries(c *workload.Client, prefix string, response, returns bool) []entry {
	var list []entry
	for kind := range stores.NumKinds {
		for _, failed := range []bool{false, true} {
			of := latencies{kind.String(), failed, response && f.open}
			var codes []entry
			if returns && !failed {
				codes = f.returns(of.operation)
			}
			// Where all failed, YCSB counts their statuses among the successes all the same.
			if f.histograms[of] != nil || codes != nil {
				list = append(list, f.block(c, prefix+of.operation, of, codes)...)
			}
		}
	}
	if f.own != nil {
		list = append(list, f.own.cleanupEntries(c, prefix)...)
	}
	return list
}

// block is what YCSB says of one measurement, with the statuses where it has them.
func (f *figures) block(c *workload.Client, metric string, of latencies, codes []entry) []entry {
	if of.failed {
		metric += bundle.FailedSuffix
	}
	h := f.histograms[of]
	if h == nil {
		h = newHistogram()
	}
	switch c.MeasurementType {
	case typeBuckets:
		return bucketEntries(metric, h, c.HistogramBuckets, c.HistogramVerbose, codes)
	case typeBoth:
		return append(hdrEntries("Hdr"+metric, h, c.Percentiles, c.HistogramVerbose, codes), bucketEntries("Bucket"+metric, h, c.HistogramBuckets, c.HistogramVerbose, nil)...)
	case typeSeries:
		return append(hdrEntries(metric, h, seriesPercentiles, false, codes), f.series[of].entries(metric, c.TimeSeriesStep)...)
	}
	return hdrEntries(metric, h, c.Percentiles, c.HistogramVerbose, codes)
}

// Values of measurementtype that are more than hdrhistogram.
const (
	typeBuckets = "histogram"
	typeBoth    = "hdrhistogram+histogram"
	typeSeries  = "timeseries"
)

// seriesPercentiles are YCSB's of a time series.
var seriesPercentiles = []float64{95, 99}

func hdrEntries(metric string, h *hdr.PackedHistogram, percentiles []float64, verbose bool, codes []entry) []entry {
	lowest := h.Min()
	if h.TotalCount() == 0 {
		lowest = math.MaxInt64 // as in Java
	}
	list := []entry{
		{metric, "Operations", h.TotalCount()},
		{metric, "AverageLatency(us)", mean(h)},
		{metric, "MinLatency(us)", lowest},
		{metric, "MaxLatency(us)", h.Max()},
	}
	for i, value := range h.ValueAtPercentilesSlice(percentiles) {
		list = append(list, entry{metric, ordinal(percentiles[i]) + "PercentileLatency(us)", value})
	}
	list = append(list, named(metric, codes)...)
	if verbose {
		for value, count := range h.ForEachBucket {
			highest := value + bucketWidth(value) - 1
			list = append(list, entry{metric, strconv.FormatInt(highest, 10), float64(count)})
		}
	}
	return list
}

// named are the entries under another metric's name.
func named(metric string, entries []entry) []entry {
	var list []entry
	for _, e := range entries {
		list = append(list, entry{metric, e.measurement, e.value})
	}
	return list
}

// returns are the statuses of an operation, OK first. A read-modify-write has none: its
// read and its update have.
func (f *figures) returns(operation string) []entry {
	if operation == stores.ReadModifyWrite.String() {
		return nil
	}
	counts := map[string]int64{}
	if ok := f.count(operation, false); ok > 0 {
		counts["OK"] = ok
	}
	for _, e := range f.counted {
		if e.Operation == operation {
			counts[status(e.Code)] += e.Count
		}
	}
	var list []entry
	for name, count := range counts {
		list = append(list, entry{operation, "Return=" + name, count})
	}
	slices.SortFunc(list, func(a, b entry) int {
		if okA, okB := a.measurement == "Return=OK", b.measurement == "Return=OK"; okA != okB {
			if okA {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.measurement, b.measurement)
	})
	return list
}

// status is YCSB's word for a driver's code.
func status(code string) string {
	switch code {
	case "NOT_FOUND", "UNEXPECTED_STATE":
		return code
	case "BAD_OPERATION", "RequestTooLarge", "ResourceExhausted", // gRPC's for a record that is too large
		"EmptyKey", "InvalidArgument":
		return "BAD_REQUEST"
	case "PermissionDenied", "InvalidAuthToken", "UserEmpty":
		return "FORBIDDEN"
	case "Unavailable", "NoLeader", "TooManyRequests":
		return "SERVICE_UNAVAILABLE"
	}
	return "ERROR"
}

// ordinal is 1st, 95th and so on; a fraction stays alone, as in YCSB.
func ordinal(n float64) string {
	if n != math.Trunc(n) {
		return javaDouble(n)
	}
	whole := int(n)
	suffix := "th"
	switch {
	case whole%100 >= 11 && whole%100 <= 13:
	case whole%10 == 1:
		suffix = "st"
	case whole%10 == 2:
		suffix = "nd"
	case whole%10 == 3:
		suffix = "rd"
	}
	return strconv.Itoa(whole) + suffix
}
