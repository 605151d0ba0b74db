package measurements

import (
	"cmp"
	"slices"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// entry is one line of YCSB's output. Its value is an int64 or a float64; a bool only where YCSB has no such line.
type entry struct {
	metric, measurement string
	value               any
}

// Figures is all that YCSB's output at the end of a run is made of.
type Figures struct {
	RuntimeMillis int64
	Operations    int64 // that the throughput counts; a read-modify-write is one
	Open          bool  // the loop is open; in a closed loop the response time is the service time
	*Totals
	Process  *Process // nil if nobody looked at it
	Verified bool     // reads were compared with the values that dataintegrity=true expects
	Samples  *Samples // nil if the histograms are enough
	// YCSB has no place for what follows. Lines before all others say it.
	NotValid  bool // the numbers may not be believed
	Censored  bool // operations never started, so response times are lower bounds
	Saturated bool // the store could not take the load, so response times grew until the end
	Successes bool // Operations are successes alone, where YCSB's are of any outcome
}

// Succeeded is the latencies of this kind of operation: response times in an open loop, service times in a
// closed one. It is nil if none succeeded.
func (f *Figures) Succeeded(operation string) *hdr.PackedHistogram {
	return f.Histograms[Latencies{Operation: operation, Response: f.Open}]
}

// entries are YCSB's output in its order: OVERALL first, then each kind of operation. Of each kind, the
// successes come before the failures.
func (f *Figures) entries(c *workload.Client) []entry {
	list := append(f.marks(),
		entry{"OVERALL", "RunTime(ms)", f.RuntimeMillis},
		entry{"OVERALL", "Throughput(ops/sec)", perSecond(f.Operations, f.RuntimeMillis)})
	if f.Process != nil {
		list = append(list, f.Process.gcEntries(f.RuntimeMillis)...)
	}
	for i, told := range intervals(c) {
		list = append(list, f.operationEntries(c, told.prefix, told.response, i == 0)...)
	}
	if f.Verified {
		list = append(list, f.verifications()...)
	}
	return list
}

// marks are what YCSB has no place for.
func (f *Figures) marks() (list []entry) {
	if f.NotValid {
		list = append(list, entry{"KVBENCH", "Valid", false})
	}
	for _, mark := range []struct {
		name string
		is   bool
	}{{"ResponseTimeCensored", f.Censored}, {"Saturated", f.Saturated}, {"ThroughputOfSuccesses", f.Successes}} {
		if mark.is {
			list = append(list, entry{"KVBENCH", mark.name, true})
		}
	}
	return list
}

// interval is one of the latencies that measurement.interval asks for. The prefix stands before the names
// of its measurements.
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

// perSecond is NaN if no time passed, as in Java.
func perSecond(operations, millis int64) float64 {
	return 1000 * float64(operations) / float64(millis)
}

func (f *Figures) operationEntries(c *workload.Client, prefix string, response, returns bool) []entry {
	var list []entry
	for kind := range stores.NumKinds {
		for _, of := range f.told(kind, response && f.Open) {
			var codes []entry
			if returns && of.Status == "" {
				codes = f.returns(of.Operation)
			}
			// YCSB counts statuses among the successes, even if all operations failed.
			if f.histogram(of) != nil || codes != nil {
				list = append(list, f.block(c, prefix, of, codes)...)
			}
		}
	}
	if f.Process != nil {
		list = append(list, f.Process.cleanupEntries(c, prefix, f.Samples)...)
	}
	return list
}

// told are the measurements of a kind of operation: first the successes, then the failures.
func (f *Figures) told(kind stores.Kind, response bool) []Latencies {
	all := []Latencies{{kind.String(), "", response}, {kind.String(), anyFailure, response}}
	if f.Samples == nil {
		return all
	}
	var own []Latencies
	for of := range f.Samples.failures {
		if of.Operation == kind.String() && of.Response == response && of.Status != anyFailure {
			own = append(own, of)
		}
	}
	slices.SortFunc(own, func(a, b Latencies) int { return cmp.Compare(a.Status, b.Status) })
	return append(all, own...)
}

// histogram is nil if there was no such operation.
func (f *Figures) histogram(of Latencies) *hdr.PackedHistogram {
	if of.Status != "" && f.Samples != nil {
		return f.Samples.failures[of]
	}
	return f.Histograms[of]
}

// block is YCSB's lines for one measurement. codes are the lines of its statuses, if it has any.
func (f *Figures) block(c *workload.Client, prefix string, of Latencies, codes []entry) []entry {
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
		return f.Samples.seriesOf(of).entries(metric, c.TimeSeriesStep.Milliseconds(), codes)
	case typeRaw:
		return f.Samples.rawOf(of).entries(metric, c.RawAlone, codes)
	case typeHdrRaw:
		return append(hdrEntries("Hdr"+metric, h, c.Percentiles, c.HistogramVerbose, codes), f.Samples.rawOf(of).entries("Raw"+metric, c.RawAlone, nil)...)
	}
	return hdrEntries(metric, h, c.Percentiles, c.HistogramVerbose, codes)
}

// The values of measurementtype.
const (
	typeHdr     = "hdrhistogram"
	typeBuckets = "histogram"
	typeBoth    = "hdrhistogram+histogram"
	typeSeries  = "timeseries"
	typeRaw     = "raw"
	typeHdrRaw  = "hdrhistogram+raw"
)

// named is a copy of the entries under another metric's name.
func named(metric string, entries []entry) []entry {
	var list []entry
	for _, e := range entries {
		list = append(list, entry{metric, e.measurement, e.value})
	}
	return list
}
