package workload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/editdistance"
)

// Properties that YCSB knows and a run says elsewhere, or doesn't need.
var elsewhere = map[string]string{
	"recordcount":                            "set records of the workload instead",
	"operationcount":                         "set operations of the workload instead",
	"insertstart":                            "a run loads the records from 0 on; set records of the workload instead",
	"insertcount":                            "a run loads all records; set records of the workload instead",
	"threadcount":                            "set load.threads instead",
	"target":                                 "set load.rate instead",
	"maxexecutiontime":                       "set duration of the workload instead",
	"dotransactions":                         "a run loads and then measures; set reset of the workload instead",
	"status":                                 "progress is in the run's status",
	"status.interval":                        "progress is in the run's status",
	"exporter":                               "the report has every figure",
	"measurementtype":                        "a run always records HdrHistogram logs",
	"reportlatencyforeacherror":              "failed operations always have latencies of their own",
	"latencytrackederrors":                   "failed operations always have latencies of their own",
	"measurement.interval":                   "an open loop always records both, a closed loop the operation alone",
	"hdrhistogram.percentiles":               "the report has p50, p95, p99 and p99.9",
	"hdrhistogram.fileoutput":                "the bundle always holds the HdrHistogram logs",
	"timeseries.granularity":                 "the report has a series by second",
	"core_workload_insertion_retry_limit":    "loading retries a record by itself",
	"core_workload_insertion_retry_interval": "loading retries a record by itself",
	"core_workload_insertion_keep_going_on_error": "a record that cannot be loaded fails the run",
}

// Properties that name a file or an address: a run's author must not choose what a pod
// of the cluster opens or calls.
var reaching = map[string]bool{
	"exportfile":                  true,
	"fieldlengthhistogram":        true,
	"hdrhistogram.output.path":    true,
	"measurement.raw.output_file": true,
}

var reachingWords = []string{"endpoint", "host", "url", "uri", "addr", "path", "file", "dir", "port", "jdbc"}

// refusal says why a property that Parse has no use for is an error.
func refusal(name string) error {
	if why, ok := elsewhere[name]; ok {
		return fmt.Errorf("property %q has no place in a run: %s", name, why)
	}
	if reaching[name] {
		return fmt.Errorf("property %q names a file or an address, which a run must not; remove it", name)
	}
	near := nearest(name)
	for _, word := range reachingWords {
		if (near == "" || strings.Contains(name, ".")) && strings.Contains(strings.ToLower(name), word) {
			return fmt.Errorf("property %q seems to name a file or an address, which a run must not; remove it", name)
		}
	}
	if near == "" {
		return fmt.Errorf("unknown property %q; known are %s", name, strings.Join(Known(), ", "))
	}
	return fmt.Errorf("unknown property %q; did you mean %q?", name, near)
}

// Known are the names of the properties that Parse takes, sorted.
func Known() []string {
	names := make([]string, 0, len(setters))
	for name := range setters {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// nearest is the known name with the fewest edits, if they are few; "" otherwise.
func nearest(name string) string {
	best, fewest := "", len(name)/3+1
	for _, known := range Known() {
		if n := editdistance.Between(strings.ToLower(name), known); n <= fewest {
			if n < fewest || best == "" {
				best, fewest = known, n
			}
		}
	}
	return best
}
