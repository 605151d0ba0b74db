package parse

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/imported"
)

const (
	goYCSBFinished = "Run finished, takes "
	goYCSBFigures  = " - Takes(s): "
	goYCSBTotal    = "TOTAL"
	goYCSBFailed   = "_ERROR"
)

// goYCSBWhole are the names of a read-modify-write, the older one last.
var goYCSBWhole = []string{"READ_MODIFY_WRITE", readModifyWrite}

var (
	goYCSBField      = regexp.MustCompile(`^([A-Za-z0-9.]+(?:\((?:s|us)\))?): (\S+)$`)
	goYCSBPercentile = regexp.MustCompile(`^([0-9.]+)th\(us\)$`)
)

// goYCSB reads what go-ycsb prints with outputstyle=plain. Lines before the run's end are of its course, and later ones
// hold what they say.
func goYCSB(content []byte) (*imported.Measured, error) {
	lines := linesOf(content)
	end := slices.IndexFunc(lines, func(l line) bool { return strings.HasPrefix(l.text, goYCSBFinished) })
	if end < 0 {
		return nil, errors.New(`it has no line "Run finished": it is no output of go-ycsb, or the run didn't end`)
	}
	took, err := duration(strings.TrimSpace(strings.TrimPrefix(lines[end].text, goYCSBFinished)))
	if err != nil {
		return nil, lines[end].errorf("%w", err)
	}
	m := &imported.Measured{DurationMicros: took, NotKnown: []imported.NotKnown{imported.Validity, imported.IntendedRate, imported.WarmUp}}
	failed := map[string]*int64{}
	var first []string // the names of the first line's figures
	for _, l := range lines[end+1:] {
		if strings.HasPrefix(l.text, goYCSBFinished) {
			return nil, l.errorf("a second run ends there: import the output of one run at a time")
		}
		name, figures, is := strings.Cut(l.text, goYCSBFigures)
		if !is {
			if !l.cut {
				continue // of something else
			}
			return nil, checkEnd(lines)
		}
		names, o, err := goYCSBOperation(strings.TrimSpace(name), strings.TrimSpace(goYCSBFigures[3:]+figures))
		if err == nil && first != nil && !slices.Equal(names, first) {
			err = errors.New("it has other figures than the line before it: the file is cut off or garbled there")
		}
		if err != nil {
			return nil, l.errorf("%w", err)
		}
		first = names
		operation, isFailed := strings.CutSuffix(o.Operation, goYCSBFailed)
		switch {
		case o.Operation == goYCSBTotal:
			m.Throughput = o.Throughput
		case isFailed && failed[operation] == nil:
			failed[operation] = o.Count
		case isFailed || slices.ContainsFunc(m.Operations, func(other imported.Operation) bool { return other.Operation == o.Operation }):
			return nil, l.errorf("%s is there twice", o.Operation)
		default:
			if err := addOperation(m, *o); err != nil {
				return nil, l.errorf("%w", err)
			}
		}
	}
	if err := checkEnd(lines); err != nil {
		return nil, err
	}
	if first == nil {
		return nil, lines[end].errorf("the run ends there, and no figures follow that are known: import an output of outputstyle=plain")
	}
	addFailed(m, failed)
	markWhole(m)
	return m, nil
}

// markWhole takes back what go-ycsb doesn't tell where there are read-modify-writes. Those that failed are among the others of
// their line. TOTAL counts the read and the update, and not the whole.
func markWhole(m *imported.Measured) {
	at := slices.IndexFunc(m.Operations, func(o imported.Operation) bool { return slices.Contains(goYCSBWhole, o.Operation) })
	if at < 0 {
		return
	}
	m.Operations[at].Role, m.Operations[at].Errors = imported.Whole, nil
	m.NotKnown = append(m.NotKnown, imported.ErrorCount)
	if m.Throughput != nil {
		m.Throughput = nil
		m.Remarks = append(m.Remarks, "The throughput of all is left out: go-ycsb's TOTAL counts a read-modify-write as a read and an update.")
	}
}

// goYCSBOperation reads the figures of a line.
func goYCSBOperation(name, figures string) (names []string, o *imported.Operation, err error) {
	if err := imported.CheckName(name); err != nil {
		return nil, nil, err
	}
	o = &imported.Operation{Operation: name}
	l := imported.Latency{Time: imported.Service}
	for _, field := range strings.Split(figures, ", ") {
		parts := goYCSBField.FindStringSubmatch(strings.TrimSpace(field))
		if parts == nil {
			return nil, nil, errors.New("the figures are cut off or garbled: " + quoted(field))
		}
		names = append(names, parts[1])
		switch parts[1] {
		case "Count":
			o.Count, err = whole(parts[2])
		case "OPS":
			o.Throughput, err = number(parts[2])
		case "Avg(us)":
			l.MeanMicros, err = scaled(parts[2], fromMicros)
		case "Max(us)":
			l.MaxMicros, err = scaled(parts[2], fromMicros)
		default:
			var micros *float64
			micros, err = number(parts[2])
			if at := goYCSBPercentile.FindStringSubmatch(parts[1]); at != nil {
				if p, ok := percentile(at[1]); ok && l.At(p) != nil {
					*l.At(p) = micros
				}
			}
		}
		if err != nil {
			return nil, nil, err
		}
	}
	for _, always := range []string{"Takes(s)", "Count", "OPS", "Avg(us)", "Min(us)", "Max(us)"} {
		if !slices.Contains(names, always) {
			return nil, nil, errors.New("the figures lack " + always + ": the file is cut off or garbled there")
		}
	}
	o.Latencies = []imported.Latency{l}
	return names, o, nil
}

// addFailed adds the operations that failed. go-ycsb has no line for those of a kind that had none.
func addFailed(m *imported.Measured, failed map[string]*int64) {
	for i := range m.Operations {
		o := &m.Operations[i]
		n := new(int64)
		if failed[o.Operation] != nil {
			*n = *failed[o.Operation]
		}
		all := *o.Count + *n
		o.Count, o.Errors = &all, n
		delete(failed, o.Operation)
	}
	var alone []string
	for name := range failed {
		alone = append(alone, name)
	}
	slices.Sort(alone)
	for _, name := range alone {
		n := *failed[name]
		m.Operations = append(m.Operations, imported.Operation{Operation: name, Count: &n, Errors: &n})
	}
}
