package workload

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of a client.
const (
	maxCount   = 1_000_000_000_000_000 // records and operations: exact as a float64 too
	maxThreads = 1024                  // as in a BenchmarkRun
	maxRetries = 1_000_000
	maxBatch   = 10_000
	maxMillis  = 1_000_000 // of a histogram with a bucket for each
)

var measurementTypes = []string{
	"hdrhistogram", "histogram", "timeseries", "raw", "hdrhistogram+raw", "hdrhistogram+histogram",
}

// exporters are YCSB's classes, without their packages.
var exporters = map[string]string{
	"TextMeasurementsExporter":      ExporterText,
	"JSONMeasurementsExporter":      ExporterJSON,
	"JSONArrayMeasurementsExporter": ExporterJSONArray,
}

// clientSetters are the properties of the command line's client.
var clientSetters = map[string]func(c *Client, value string) error{
	"recordcount":    func(c *Client, v string) error { return integer(&c.Records, v, 0, maxCount) },
	"operationcount": func(c *Client, v string) error { return integer(&c.Operations, v, 0, maxCount) },
	"insertstart":    func(c *Client, v string) error { return integer(&c.InsertStart, v, 0, maxCount) },
	"insertcount":    func(c *Client, v string) error { return integer(&c.InsertCount, v, 1, maxCount) },
	"dotransactions": func(c *Client, v string) error {
		transactions := true
		err := boolean(&transactions, v)
		c.Load = !transactions
		return err
	},
	"threadcount":      func(c *Client, v string) error { return count(&c.Threads, v, 1, maxThreads) },
	"target":           func(c *Client, v string) error { return number(&c.Target, v, 0, 1e9) },
	"maxexecutiontime": func(c *Client, v string) error { return seconds(&c.MaxExecutionTime, v, 0) },

	"batch.size":                                  func(c *Client, v string) error { return count(&c.BatchSize, v, 1, maxBatch) },
	"core_workload_insertion_retry_limit":         func(c *Client, v string) error { return count(&c.InsertRetries, v, 0, maxRetries) },
	"core_workload_insertion_retry_interval":      func(c *Client, v string) error { return seconds(&c.InsertRetryInterval, v, 0) },
	"core_workload_insertion_keep_going_on_error": func(c *Client, v string) error { return boolean(&c.KeepGoing, v) },

	"status":                        func(c *Client, v string) error { return boolean(&c.Status, v) },
	"status.interval":               func(c *Client, v string) error { return seconds(&c.StatusInterval, v, 0.001) },
	"exporter":                      setExporter,
	"exportfile":                    func(c *Client, v string) error { c.ExportFile = v; return nil },
	"measurementtype":               func(c *Client, v string) error { return oneOf(&c.MeasurementType, v, measurementTypes...) },
	"measurement.interval":          setInterval,
	"measurement.raw.output_file":   func(c *Client, v string) error { c.RawFile = v; return nil },
	"measurement.raw.no_summary":    func(c *Client, v string) error { return boolean(&c.RawAlone, v) },
	"measurement.histogram.verbose": func(c *Client, v string) error { return boolean(&c.HistogramVerbose, v) },
	"histogram.buckets":             func(c *Client, v string) error { return count(&c.HistogramBuckets, v, 1, maxMillis) },
	"hdrhistogram.percentiles":      setPercentiles,
	"hdrhistogram.fileoutput":       func(c *Client, v string) error { return boolean(&c.HdrFiles, v) },
	"hdrhistogram.output.path":      func(c *Client, v string) error { c.HdrPath = v; return nil },
	"timeseries.granularity":        setTimeSeriesStep,
	"reportlatencyforeacherror":     func(c *Client, v string) error { return boolean(&c.LatencyOfEachError, v) },
	"latencytrackederrors":          func(c *Client, v string) error { c.LatencyOfErrors = list(v); return nil },
}

func setExporter(c *Client, v string) error {
	class := strings.TrimPrefix(strings.TrimPrefix(v, "com.yahoo.ycsb."), "site.ycsb.")
	exporter, ok := exporters[strings.TrimPrefix(class, "measurements.exporter.")]
	if !ok {
		return fmt.Errorf("must be one of site.ycsb.measurements.exporter.{%s}", strings.Join(slices.Sorted(maps.Keys(exporters)), ", "))
	}
	c.Exporter = exporter
	return nil
}

func setInterval(c *Client, v string) error {
	if _, err := strconv.Atoi(v); err == nil {
		return errors.New("must be one of op, intended, both; for the seconds between lines of progress, as in go-ycsb, use status.interval")
	}
	return oneOf(&c.MeasurementInterval, v, IntervalOperation, IntervalIntended, IntervalBoth)
}

func setPercentiles(c *Client, v string) error {
	var percentiles []float64
	for _, item := range list(v) {
		var p float64
		if err := number(&p, item, 0, 100); err != nil {
			return fmt.Errorf("%q %w", item, err)
		}
		percentiles = append(percentiles, p)
	}
	if len(percentiles) == 0 || len(percentiles) > 100 {
		return errors.New("must be 1 to 100 numbers with commas between them, such as 50,95,99")
	}
	c.Percentiles = percentiles
	return nil
}

func setTimeSeriesStep(c *Client, v string) error {
	var millis int64
	err := integer(&millis, v, 1, 1e9)
	if err == nil {
		c.TimeSeriesStep = time.Duration(millis) * time.Millisecond
	}
	return err
}
