package parse

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/imported"
)

// ycsb collects YCSB's measurements, which its exporters write in different formats.
type ycsb struct {
	measured imported.Measured
	overall  map[string]bool // the measurements of OVERALL that were seen
	said     kvbenchSaid
	sections []*ycsbSection // in their order
}

// ycsbSection is all that has one metric: READ, READ-FAILED or Intended-READ.
type ycsbSection struct {
	metric     string
	operation  string
	failed     bool
	intended   bool
	line       int
	operations *int64
	returned   bool // statuses were counted
	ok, notOK  int64
	seen       map[string]bool
	latency    imported.Latency
}

func newYCSB() *ycsb { return &ycsb{overall: map[string]bool{}} }

// IntendedDoubt is the remark on outputs of measurement.interval=both. Without -target YCSB intends an operation when it sends it.
const IntendedDoubt = "YCSB's Intended latencies are response times only if the run had a target rate. If it had none, import it with --time service."

// readModifyWrite is YCSB's operation whose parts are counted as reads and updates too.
const readModifyWrite = "READ-MODIFY-WRITE"

// ycsbStatuses are the endings of metrics of operations that failed.
var ycsbStatuses = []string{"FAILED", "ERROR", "NOT_FOUND", "NOT_IMPLEMENTED", "UNEXPECTED_STATE", "BAD_REQUEST", "FORBIDDEN", "SERVICE_UNAVAILABLE"}

// add takes one measurement.
func (y *ycsb) add(line int, metric, measurement, value string) error {
	switch {
	case metric == "OVERALL":
		return y.addOverall(measurement, value)
	case metric == "KVBENCH":
		y.said.add(measurement, value)
		return nil
	case strings.HasPrefix(metric, "TOTAL_GC"), strings.HasSuffix(metric, "CLEANUP"), metric == "VERIFY",
		strings.HasPrefix(metric, "Bucket"), strings.HasPrefix(metric, "Raw"):
		// Not an operation on the store, or the same operations once more.
		return nil
	}
	if err := imported.CheckName(metric); err != nil {
		return fmt.Errorf("the metric %w", err)
	}
	s, err := y.section(metric, line)
	if err != nil {
		return err
	}
	return s.add(measurement, value)
}

func (y *ycsb) addOverall(measurement, value string) (err error) {
	if y.overall[measurement] {
		return fmt.Errorf("[OVERALL] has %s twice, so a second run begins there: import the output of one run at a time", quoted(measurement))
	}
	y.overall[measurement] = true
	switch measurement {
	case "RunTime(ms)":
		y.measured.DurationMicros, err = scaled(value, fromMillis)
	case "Throughput(ops/sec)":
		y.measured.Throughput, err = number(value)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", measurement, err)
	}
	return nil
}

// section finds or begins one.
func (y *ycsb) section(metric string, line int) (*ycsbSection, error) {
	at := slices.IndexFunc(y.sections, func(s *ycsbSection) bool { return s.metric == metric })
	if at >= 0 {
		return y.sections[at], nil
	}
	if len(y.sections) == imported.MaxOperations {
		return nil, errTooMany
	}
	s := &ycsbSection{metric: metric, line: line, seen: map[string]bool{}}
	s.operation, s.intended = strings.CutPrefix(strings.TrimPrefix(metric, "Hdr"), "Intended-")
	for _, status := range ycsbStatuses {
		if operation, failed := strings.CutSuffix(s.operation, "-"+status); failed {
			s.operation, s.failed = operation, true
			break
		}
	}
	if s.intended {
		s.latency.Time = imported.Response
	}
	y.sections = append(y.sections, s)
	return s, nil
}

var (
	ycsbLatency    = regexp.MustCompile(`^(Average|Min|Max)Latency\((us|ms)\)$`)
	ycsbPercentile = regexp.MustCompile(`^([0-9.]+)(?:st|nd|rd|th)?PercentileLatency\((us|ms)\)$`)
	ycsbOther      = regexp.MustCompile(`^LatencyVariance\((us|ms)\)$|^>?[0-9]+$`) // the others are of buckets
)

var ycsbPowers = map[string]int{"us": fromMicros, "ms": fromMillis}

func (s *ycsbSection) add(measurement, value string) (err error) {
	if ycsbOther.MatchString(measurement) {
		return nil
	}
	if s.seen[measurement] {
		return fmt.Errorf("[%s] has %s twice: import the output of one run at a time", s.metric, quoted(measurement))
	}
	s.seen[measurement] = true
	if status, is := strings.CutPrefix(measurement, "Return="); is {
		return s.addReturn(status, value)
	}
	if measurement == "Operations" {
		s.operations, err = whole(value)
		return err
	}
	if parts := ycsbLatency.FindStringSubmatch(measurement); parts != nil {
		s.seen[parts[1]] = true
		micros, err := scaled(value, ycsbPowers[parts[2]])
		switch {
		case err != nil && parts[1] == "Min":
			return nil // Java's largest number where nothing was measured; documents have no minimum
		case parts[1] == "Average":
			s.latency.MeanMicros = micros
		case parts[1] == "Max":
			s.latency.MaxMicros = micros
		}
		return err
	}
	if parts := ycsbPercentile.FindStringSubmatch(measurement); parts != nil {
		micros, err := scaled(value, ycsbPowers[parts[2]])
		if p, ok := percentile(parts[1]); ok && s.latency.At(p) != nil {
			*s.latency.At(p) = micros
		}
		return err
	}
	return fmt.Errorf("%.60q is no measurement of YCSB: the file is garbled, or of a measurement type that is not known", measurement)
}

// isOK says that the status is that of an operation that didn't fail.
func isOK(status string) bool { return status == "OK" || status == "BATCHED_OK" || status == "0" }

func (s *ycsbSection) addReturn(status, value string) error {
	n, err := whole(value)
	if err != nil {
		return err
	}
	s.returned = true
	if isOK(status) {
		s.ok += *n
	} else {
		s.notOK += *n
	}
	return nil
}

// check says what a section lacks that YCSB always prints.
func (s *ycsbSection) check() error {
	for _, name := range []string{"Operations", "Average", "Min", "Max"} {
		if !s.seen[name] {
			return fmt.Errorf("line %d: the measurements of [%s] begin there, and lack %s: the file is cut off", s.line, s.metric, name)
		}
	}
	return nil
}

// finish joins the sections of each operation.
func (y *ycsb) finish() (*imported.Measured, error) {
	if y.measured.DurationMicros == nil || y.measured.Throughput == nil {
		return nil, errors.New("it has no [OVERALL] with RunTime(ms) and Throughput(ops/sec): it is no output of YCSB, or its begin is missing")
	}
	y.ownStatuses()
	both := slices.ContainsFunc(y.sections, func(s *ycsbSection) bool { return s.intended })
	var order []string
	for _, s := range y.sections {
		if err := s.check(); err != nil {
			return nil, err
		}
		if !slices.Contains(order, s.operation) {
			order = append(order, s.operation)
		}
	}
	for _, operation := range order {
		y.measured.Operations = append(y.measured.Operations, y.operation(operation, both))
	}
	y.measured.NotKnown = []imported.NotKnown{imported.Validity, imported.IntendedRate, imported.WarmUp}
	if !both {
		y.measured.NotKnown = append(y.measured.NotKnown, imported.Time)
	}
	if !y.said.successes && slices.ContainsFunc(y.measured.Operations, func(o imported.Operation) bool { return o.Errors != nil && *o.Errors > 0 }) {
		y.measured.Remarks = append(y.measured.Remarks, "The throughput counts operations that failed too.")
	}
	if both && !y.said.any {
		y.measured.Remarks = append(y.measured.Remarks, IntendedDoubt)
	}
	y.said.apply(&y.measured)
	return &y.measured, nil
}

// ownStatuses finds the sections of operations that failed with a status of the driver's own: those of READ-TIMEOUT, if the
// statuses of READ have a TIMEOUT.
func (y *ycsb) ownStatuses() {
	for _, s := range y.sections {
		at := slices.IndexFunc(y.sections, func(of *ycsbSection) bool {
			status, is := strings.CutPrefix(s.operation, of.operation+"-")
			return is && !s.failed && !of.failed && !isOK(status) && of.seen["Return="+status]
		})
		if at >= 0 {
			s.operation, s.failed = y.sections[at].operation, true
		}
	}
}

// operation joins the sections of one operation. With both, the latencies are known to be of two times.
func (y *ycsb) operation(name string, both bool) imported.Operation {
	o := imported.Operation{Operation: name}
	if name == readModifyWrite {
		o.Role = imported.Whole
	}
	var succeeded, failed int64
	var main *ycsbSection
	hasFailed := false
	for _, s := range y.sections {
		if s.operation != name {
			continue
		}
		switch {
		case s.failed && !s.intended:
			hasFailed = true
			failed += *s.operations
		case !s.failed && !s.intended:
			main, succeeded = s, *s.operations
			s.latency.Time = imported.Unsaid
			if both {
				s.latency.Time = imported.Service
			}
		}
		if !s.failed && *s.operations > 0 {
			o.Latencies = append(o.Latencies, s.latency)
		}
	}
	count := succeeded + failed
	switch {
	case hasFailed && main != nil && main.notOK > failed && !y.said.any:
		// A failure that has no section is among the statuses alone. In an export of kvbench each has one. Its statuses go by
		// when operations ended, and may be more.
		o.Errors = &main.notOK
		count = max(count, main.ok+main.notOK)
	case hasFailed:
		o.Errors = &failed
	case main != nil && main.returned:
		// Versions before 0.6 have no section of failures: what failed is among the operations.
		o.Errors = &main.notOK
		count = max(succeeded, main.ok+main.notOK)
	}
	o.Count = &count
	return o
}
