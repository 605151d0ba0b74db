package parse

import (
	"slices"

	"github.com/kvbench/kvbench/internal/imported"
)

// kvbenchSaid is what an export of kvbench says of its own figures, where YCSB has no place for it.
type kvbenchSaid struct {
	any       bool
	notValid  bool
	censored  bool // operations never started, and response times are lower bounds
	saturated bool // the queue grew until the end, and response times with it
	successes bool // the throughput counts successes alone
}

// add takes one line. What was said once stays said.
func (k *kvbenchSaid) add(measurement, value string) {
	k.any = true
	switch measurement {
	case "Valid":
		k.notValid = k.notValid || value == "false"
	case "ResponseTimeCensored":
		k.censored = k.censored || value == "true"
	case "Saturated":
		k.saturated = k.saturated || value == "true"
	case "ThroughputOfSuccesses":
		k.successes = k.successes || value == "true"
	}
}

// apply remarks it, and leaves out what can't be compared: a lower bound has no ratio to anything.
func (k *kvbenchSaid) apply(m *imported.Measured) {
	if k.successes {
		m.Remarks = append(m.Remarks, "kvbench exported this. The throughput counts the operations that succeeded, and no others.")
	}
	if k.censored {
		m.NotKnown = append(m.NotKnown, imported.ErrorCount)
		m.Remarks = append(m.Remarks, "kvbench exported this, and says that operations never started. The response times are lower bounds, and are left out.")
	}
	if k.saturated {
		m.Remarks = append(m.Remarks, "kvbench exported this, and says that the store was saturated. The response times grew until the end, and are left out.")
	}
	if k.censored || k.saturated {
		for i := range m.Operations {
			o := &m.Operations[i]
			o.Latencies = slices.DeleteFunc(o.Latencies, func(l imported.Latency) bool { return l.Time == imported.Response })
		}
	}
	if k.notValid {
		m.Valid = new(bool)
		m.NotKnown = slices.DeleteFunc(m.NotKnown, func(n imported.NotKnown) bool { return n == imported.Validity })
		m.Remarks = append(m.Remarks, "kvbench exported this, and says that the numbers are not valid.")
	}
}
