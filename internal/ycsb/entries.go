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
	"github.com/kvbench/kvbench/internal/report/histogram"
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
	samples  *samples       // nil when the histograms are enough
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
	for i, told := range intervals(c) {
		list = append(list, f.operationEntries(c, told.prefix, told.response, i == 0)...)
	}
	if f.verified {
		list = append(list, f.verifications()...)
	}
	return list
}

// interval is one of the latencies that measurement.interval asks for, and what stands
// before its names.
type interval struct {
	prefix   string
	response bool
}

func intervals(c *workload.Client) []interval {
	first := interval{response: c.MeasurementInterval == workload.IntervalIntended}
	if c.MeasurementInterval == workload.IntervalBoth {
		return []interval{first, {bundle.IntendedPrefix, true}}
	}
	return []interval{first}
}

// verifications are how the comparisons of reads ended. They have no latency of their own.
func (f *figures) verifications() []entry {
	ok, failed := f.count(stores.Read.String(), ""), map[string]int64{}
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
		for _, of := range f.told(kind, response && f.open) {
			var codes []entry
			if returns && of.status == "" {
				codes = f.returns(of.operation)
			}
			// Where all failed, YCSB counts their statuses among the successes all the same.
			if f.histogram(of) != nil || codes != nil {
				list = append(list, f.block(c, prefix, of, codes)...)
			}
		}
	}
	if f.own != nil {
		list = append(list, f.own.cleanupEntries(c, prefix, f.samples)...)
	}
	return list
}

// told are the measurements of a kind of operation: the successes, then what failed.
func (f *figures) told(kind stores.Kind, response bool) []latencies {
	all := []latencies{{kind.String(), "", response}, {kind.String(), anyFailure, response}}
	if f.samples == nil {
		return all
	}
	var own []latencies
	for of := range f.samples.failures {
		if of.operation == kind.String() && of.response == response && of.status != anyFailure {
			own = append(own, of)
		}
	}
	slices.SortFunc(own, func(a, b latencies) int { return cmp.Compare(a.status, b.status) })
	return append(all, own...)
}

// histogram is nil where there was nothing.
func (f *figures) histogram(of latencies) *hdr.PackedHistogram {
	if of.status != "" && f.samples != nil {
		return f.samples.failures[of]
	}
	return f.histograms[of]
}

// block is what YCSB says of one measurement, with the statuses where it has them.
func (f *figures) block(c *workload.Client, prefix string, of latencies, codes []entry) []entry {
	metric := prefix + of.name()
	h := f.histogram(of)
	if h == nil {
		h = histogram.New()
	}
	switch c.MeasurementType {
	case typeBuckets:
		return bucketEntries(metric, h, c.HistogramBuckets, c.HistogramVerbose, codes)
	case typeBoth:
		return append(hdrEntries("Hdr"+metric, h, c.Percentiles, c.HistogramVerbose, codes), bucketEntries("Bucket"+metric, h, c.HistogramBuckets, c.HistogramVerbose, nil)...)
	case typeSeries:
		return f.samples.seriesOf(of).entries(metric, c.TimeSeriesStep.Milliseconds(), codes)
	case typeRaw:
		return f.samples.rawOf(of).entries(metric, c.RawAlone, codes)
	case typeHdrRaw:
		return append(hdrEntries("Hdr"+metric, h, c.Percentiles, c.HistogramVerbose, codes), f.samples.rawOf(of).entries("Raw"+metric, c.RawAlone, nil)...)
	}
	return hdrEntries(metric, h, c.Percentiles, c.HistogramVerbose, codes)
}

// Values of measurementtype.
const (
	typeHdr     = "hdrhistogram"
	typeBuckets = "histogram"
	typeBoth    = "hdrhistogram+histogram"
	typeSeries  = "timeseries"
	typeRaw     = "raw"
	typeHdrRaw  = "hdrhistogram+raw"
)

// bucketPercentiles are YCSB's of a histogram with a bucket for each millisecond.
var bucketPercentiles = []float64{95, 99}

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
	for i, value := range histogram.Percentiles(h, percentiles...) {
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
	if ok := f.count(operation, ""); ok > 0 {
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
	case stores.CodeNotFound, "UNEXPECTED_STATE":
		return code
	case stores.CodeBadOperation, "RequestTooLarge", "ResourceExhausted", // gRPC's for a record that is too large
		"EmptyKey", "InvalidArgument":
		return "BAD_REQUEST"
	case "PermissionDenied", "InvalidAuthToken", "UserEmpty":
		return "FORBIDDEN"
	case stores.CodeNoConnection, stores.CodeConnectionLost, "Unavailable", "NoLeader", "TooManyRequests":
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
