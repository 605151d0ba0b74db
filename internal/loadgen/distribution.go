package loadgen

import (
	"maps"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/kvbench/kvbench/internal/loadgen/record"
)

// classicBounds are the buckets for a Prometheus without native histograms, in seconds. Response times of an outage are long.
var classicBounds = []float64{
	.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20, 30, 60, 120,
}

// nativeSchema makes eight native buckets for each doubling.
const nativeSchema = 3

// distribution adds up histograms for Prometheus.
type distribution struct {
	count   uint64
	sum     float64 // seconds
	classic [20]uint64
	native  map[int]int64
}

func (d *distribution) add(h *record.Histogram) {
	if d.native == nil {
		d.native = map[int]int64{}
	}
	h.Each(func(low, high, count int64) {
		// Below one microsecond a slot has no width; half a microsecond stands for it.
		seconds := max(float64(low+high)/2, 0.5) / 1e6
		d.count += uint64(count)
		d.sum += seconds * float64(count)
		d.native[int(math.Ceil(math.Log2(seconds)*(1<<nativeSchema)))] += count
		for i, bound := range classicBounds {
			if seconds <= bound {
				d.classic[i] += uint64(count)
			}
		}
	})
}

// metric is a copy as it is now.
func (d *distribution) metric(desc *prometheus.Desc, labels ...string) prometheus.Metric {
	classic := make(map[float64]uint64, len(classicBounds))
	for i, bound := range classicBounds {
		classic[bound] = d.classic[i]
	}
	return both{
		Metric: prometheus.MustNewConstNativeHistogram(desc, d.count, d.sum, maps.Clone(d.native), nil,
			0, nativeSchema, 1e-9, time.Time{}, labels...),
		classic: prometheus.MustNewConstHistogram(desc, d.count, d.sum, classic, labels...),
	}
}

// both is a native histogram that has classic buckets as well.
type both struct {
	prometheus.Metric
	classic prometheus.Metric
}

// Write implements prometheus.Metric.
func (b both) Write(to *dto.Metric) error {
	var classic dto.Metric
	if err := b.classic.Write(&classic); err != nil {
		return err
	}
	if err := b.Metric.Write(to); err != nil {
		return err
	}
	to.Histogram.Bucket = classic.GetHistogram().GetBucket()
	return nil
}
