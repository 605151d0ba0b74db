package workload

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Client is what the command line's properties say beside the workload: how much is to be
// done, how fast, and how it is written down. A BenchmarkRun has fields for these.
type Client struct {
	Load        bool  // dotransactions=false: insert records instead of working on them
	Records     int64 // in the store when the run begins; key numbers from there on are its inserts
	Operations  int64 // 0 is no bound
	InsertStart int64 // key number of the first record of this client's part …
	InsertCount int64 // … and how many it has

	Threads          int
	Target           float64       // operations/s of all threads; 0 is no bound
	MaxExecutionTime time.Duration // 0 is no bound

	// BatchSize is how many records a load inserts with one request at most.
	BatchSize int
	// InsertRetries are the attempts at a record after its first one failed, while
	// loading. The pause before each is InsertRetryInterval times [0.8, 1.2).
	InsertRetries       int
	InsertRetryInterval time.Duration
	// KeepGoing says that a record that cannot be loaded does not end the load.
	KeepGoing bool

	Status         bool // say how it goes
	StatusInterval time.Duration

	Exporter   string // ExporterText, ExporterJSON or ExporterJSONArray
	ExportFile string // "" is standard output

	MeasurementType     string // one of measurementTypes
	MeasurementInterval string // IntervalOperation, IntervalIntended or IntervalBoth
	Percentiles         []float64
	HistogramBuckets    int    // of 1 ms, of the type histogram …
	HistogramVerbose    bool   // … and whether each is exported
	HdrFiles            bool   // write a histogram log for each operation …
	HdrPath             string // … with this before its name
	TimeSeriesStep      time.Duration
	RawFile             string   // of single operations; "" is standard output
	RawAlone            bool     // without a summary of them
	LatencyOfEachError  bool     // a latency for each status of failed operations …
	LatencyOfErrors     []string // … or for these
}

// The exporters.
const (
	ExporterText      = "text"
	ExporterJSON      = "json"       // one object after the other
	ExporterJSONArray = "json-array" // one array of the same objects
)

// What measurement.interval says: which latencies are exported.
const (
	IntervalOperation = "op"       // the operation's own
	IntervalIntended  = "intended" // from the time at which it should have begun
	IntervalBoth      = "both"
)

// ParseClient takes the client's properties and returns the others, which are the
// workload's. What is not set has YCSB's default: dotransactions is the caller's to set
// when its command says what to do. All that is wrong is said at once.
func ParseClient(properties map[string]string) (c *Client, rest map[string]string, err error) {
	c = &Client{
		Threads: 1, BatchSize: 1, InsertRetryInterval: 3 * time.Second, StatusInterval: 10 * time.Second,
		Exporter: ExporterText, MeasurementType: measurementTypes[0], MeasurementInterval: IntervalOperation,
		Percentiles: []float64{50, 95, 99}, HistogramBuckets: 1000, TimeSeriesStep: time.Second,
	}
	rest = map[string]string{}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		set, ok := clientSetters[name]
		if !ok {
			rest[name] = properties[name]
			continue
		}
		value := strings.TrimSpace(properties[name])
		if err := set(c, value); err != nil {
			wrong = append(wrong, &PropertyError{name, fmt.Errorf("property %s=%q: %w", name, value, err)})
		}
	}
	if len(wrong) == 0 {
		wrong = append(wrong, c.settle())
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, nil, err
	}
	return c, rest, nil
}

// unsaidRecords are YCSB's if recordcount is 0 or not set.
const unsaidRecords = math.MaxInt32

// settle fills in what follows from other properties, and looks at what single ones
// cannot say.
func (c *Client) settle() error {
	if c.Records == 0 {
		if c.Load && c.InsertCount == 0 {
			// YCSB would insert for ever.
			return errors.New("there is nothing to load: recordcount is 0; set it")
		}
		c.Records = unsaidRecords
	}
	if c.InsertStart >= c.Records {
		return fmt.Errorf("insertstart=%d is not below recordcount=%d; raise recordcount or lower it", c.InsertStart, c.Records)
	}
	if c.InsertCount == 0 {
		c.InsertCount = c.Records - c.InsertStart
	}
	if c.InsertStart+c.InsertCount > c.Records {
		return fmt.Errorf("insertstart=%d and insertcount=%d reach beyond recordcount=%d; raise recordcount or lower them",
			c.InsertStart, c.InsertCount, c.Records)
	}
	return nil
}
