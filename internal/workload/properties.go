package workload

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/editdistance"
)

const reaches = "it names a file or an address, which a run must not; remove it"

// elsewhere are the client's properties: a run says the same in another place, or doesn't
// need it.
var elsewhere = map[string]string{
	"recordcount":                                 "set records of the workload instead",
	"operationcount":                              "set operations of the workload instead",
	"insertstart":                                 "set insertStart of the workload instead",
	"insertcount":                                 "set insertCount of the workload instead",
	"threadcount":                                 "set load.threads instead",
	"target":                                      "set load.rate instead",
	"maxexecutiontime":                            "set duration of the workload instead",
	"dotransactions":                              "a run loads and then measures; set reset of the workload instead",
	"status":                                      "progress is in the run's status",
	"status.interval":                             "progress is in the run's status",
	"exportfile":                                  reaches,
	"hdrhistogram.output.path":                    reaches,
	"measurement.raw.output_file":                 reaches,
	"exporter":                                    "the report has every figure",
	"measurementtype":                             "a run always records HdrHistogram logs",
	"measurement.raw.no_summary":                  "a run keeps no single operations",
	"reportlatencyforeacherror":                   "failed operations always have latencies of their own",
	"latencytrackederrors":                        "failed operations always have latencies of their own",
	"measurement.interval":                        "an open loop always records both, a closed loop the operation alone",
	"histogram.buckets":                           "the report's histograms have three digits at any latency",
	"measurement.histogram.verbose":               "the bundle holds the whole histograms",
	"hdrhistogram.percentiles":                    "the report has p50, p95, p99 and p99.9",
	"hdrhistogram.fileoutput":                     "the bundle always holds the HdrHistogram logs",
	"timeseries.granularity":                      "the report has a series by second",
	"batch.size":                                  "loading inserts up to 100 records with a request, where the store's driver can",
	"core_workload_insertion_retry_limit":         "loading retries a record by itself",
	"core_workload_insertion_retry_interval":      "loading retries a record by itself",
	"core_workload_insertion_keep_going_on_error": "a record that cannot be loaded fails the run",
}

// otherWords are those of people who know another load generator.
var otherWords = map[string]string{
	"duration": "maxexecutiontime", "operations": "operationcount", "opcount": "operationcount", "records": "recordcount",
	"runtime": "maxexecutiontime", "distribution": "requestdistribution", "threads": "threadcount",
}

// Words in the names of properties that a store's client may have, and a run must not set.
var reachingWords = []string{"endpoint", "host", "url", "uri", "addr", "path", "file", "dir", "port", "jdbc"}

// refusal says why a property that Parse has no use for is an error.
func refusal(name string, source Source) error {
	if why, ok := elsewhere[name]; ok && !source.commandLine {
		return fmt.Errorf("property %q has no place in a run: %s", name, why)
	}
	near := cmp.Or(otherWords[name], nearest(name))
	for _, word := range reachingWords {
		if !source.commandLine && (near == "" || strings.Contains(name, ".")) && strings.Contains(strings.ToLower(name), word) {
			return fmt.Errorf("property %q seems to name a file or an address, which a run must not; remove it", name)
		}
	}
	if near == "" {
		return fmt.Errorf("unknown property %q, and no known one is like it; docs/reference/workloads.md lists them", name)
	}
	return fmt.Errorf("unknown property %q; did you mean %q?", name, near)
}

// nearest is the known name with the fewest edits, if they are few; "" otherwise. A run
// hears of the client's too, and then where it says these.
func nearest(name string) string {
	best, fewest := "", len(name)/3+1
	names := slices.AppendSeq(slices.Collect(maps.Keys(setters)), maps.Keys(clientSetters))
	slices.Sort(names)
	for _, known := range names {
		if n := editdistance.Between(strings.ToLower(name), known); n <= fewest {
			if n < fewest || best == "" {
				best, fewest = known, n
			}
		}
	}
	return best
}
