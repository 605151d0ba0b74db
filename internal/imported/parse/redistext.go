package parse

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/imported"
)

// redisSection begins the results of a test: "====== SET ======".
const redisSection = "====== "

var (
	redisCompleted  = regexp.MustCompile(`^\s*([0-9]+) requests completed in [0-9.]+ seconds\s*$`)
	redisThroughput = regexp.MustCompile(`^\s*(?:throughput summary: )?([0-9.]+) requests per second\s*$`)
	redisSummary    = regexp.MustCompile(`^\s*(latency summary \(msec\)|Summary|Latency by percentile distribution):\s*$`)
	redisQuiet      = regexp.MustCompile(`^(\S[^"]*): ([0-9.]+) requests per second(?:, p50=([0-9.]+) msec)?\s*$`)
)

func redisNotKnown() []imported.NotKnown {
	return []imported.NotKnown{imported.Validity, imported.IntendedRate, imported.WarmUp, imported.ErrorCount}
}

// redisText reads what redis-benchmark prints for people: sections, or with -q a line for each test.
func redisText(content []byte) (*imported.Measured, error) {
	m := &imported.Measured{NotKnown: redisNotKnown()}
	lines := linesOf(content)
	var open *redisTest
	end := func() error {
		if open == nil {
			return nil
		}
		err := open.finish(m)
		open = nil
		return err
	}
	for _, l := range lines {
		if strings.HasPrefix(l.text, redisSection) {
			if err := end(); err != nil {
				return nil, err
			}
			name, whole := strings.CutSuffix(strings.TrimSpace(strings.TrimPrefix(l.text, redisSection)), strings.TrimSpace(redisSection))
			if !whole {
				return nil, l.errorf("%s is cut off or garbled", quoted(l.text))
			}
			open = &redisTest{begin: l, operation: imported.Operation{Operation: strings.TrimSpace(name)}}
			continue
		}
		err := error(nil)
		if open != nil {
			err = open.add(l)
		} else if parts := redisQuiet.FindStringSubmatch(l.text); parts != nil {
			err = redisQuietTest(m, parts)
		}
		if err != nil {
			return nil, l.errorf("%w", err)
		}
	}
	if err := end(); err != nil {
		return nil, err
	}
	return m, checkEnd(lines)
}

// redisTest is a section that is being read.
type redisTest struct {
	begin     line
	operation imported.Operation
	latency   imported.Latency
	summed    bool     // the version is one that sums up latencies
	columns   []string // of the summary that is being read
	header    bool     // the next line is that of the columns
}

func (t *redisTest) add(l line) (err error) {
	words := strings.Fields(l.text)
	switch {
	case len(words) == 0:
		return nil
	case t.header:
		t.header, t.columns = false, words
		return nil
	case t.columns != nil:
		err = redisLatency(&t.latency, t.columns, words)
		t.columns = nil
		return err
	}
	if parts := redisCompleted.FindStringSubmatch(l.text); parts != nil {
		t.operation.Count, err = whole(parts[1])
	} else if parts := redisThroughput.FindStringSubmatch(l.text); parts != nil {
		t.operation.Throughput, err = number(parts[1])
	} else if parts := redisSummary.FindStringSubmatch(l.text); parts != nil {
		t.summed, t.header = true, strings.HasPrefix(parts[1], "latency summary")
	}
	return err
}

// redisLatency reads the values below the columns avg, min, p50, p95, p99 and max, in milliseconds.
func redisLatency(l *imported.Latency, columns, values []string) error {
	if len(columns) != len(values) {
		return errors.New("the latency summary has not as many values as columns: the file is cut off or garbled there")
	}
	l.Time = imported.Service
	for i, name := range columns {
		micros, err := scaled(values[i], fromMillis)
		if err != nil {
			return err
		}
		switch {
		case name == "avg":
			l.MeanMicros = micros
		case name == "max":
			l.MaxMicros = micros
		case strings.HasPrefix(name, "p"):
			if p, ok := percentile(name[1:]); ok && l.At(p) != nil {
				*l.At(p) = micros
			}
		}
	}
	return nil
}

// finish adds the test to the results.
func (t *redisTest) finish(m *imported.Measured) error {
	switch {
	case t.operation.Count == nil || t.operation.Throughput == nil:
		return t.begin.errorf("the test that begins there lacks its number of requests or its throughput: the file is cut off")
	case t.summed && t.latency.Empty():
		return t.begin.errorf("the test that begins there lacks its latency summary: the file is cut off")
	case !t.latency.Empty():
		t.operation.Latencies = []imported.Latency{t.latency}
	}
	if err := addRedis(m, t.operation); err != nil {
		return t.begin.errorf("%w", err)
	}
	return nil
}

func redisQuietTest(m *imported.Measured, parts []string) (err error) {
	o := imported.Operation{Operation: parts[1]}
	if o.Throughput, err = number(parts[2]); err != nil {
		return err
	}
	if parts[3] != "" {
		l := imported.Latency{Time: imported.Service}
		if l.P50Micros, err = scaled(parts[3], fromMillis); err != nil {
			return err
		}
		o.Latencies = []imported.Latency{l}
	}
	return addRedis(m, o)
}

func addRedis(m *imported.Measured, o imported.Operation) error {
	if err := imported.CheckName(o.Operation); err != nil {
		return err
	}
	if slices.ContainsFunc(m.Operations, func(other imported.Operation) bool { return other.Operation == o.Operation }) {
		return errors.New("the test " + quoted(o.Operation) + " is there twice: import the output of one run at a time")
	}
	return addOperation(m, o)
}
