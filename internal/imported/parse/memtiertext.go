package parse

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/imported"
)

// memtierTotals is the last row of memtier's table, and the last member of its JSON.
const memtierTotals = "Totals"

func memtierNotKnown() []imported.NotKnown {
	return []imported.NotKnown{imported.Validity, imported.IntendedRate, imported.WarmUp, imported.ErrorCount}
}

// isMemtierHeader says that the line begins a table of results.
func isMemtierHeader(text string) bool {
	words := strings.Fields(text)
	return len(words) > 2 && words[0] == "Type" && words[1] == "Ops/sec"
}

// memtierText reads the table of memtier_benchmark. Of several runs the last table is the average.
func memtierText(content []byte) (*imported.Measured, error) {
	lines := linesOf(content)
	var headers []int
	for i, l := range lines {
		if isMemtierHeader(l.text) {
			headers = append(headers, i)
		}
	}
	if len(headers) == 0 {
		return nil, errors.New("it has no table that begins with Type and Ops/sec: it is no output of memtier_benchmark, or it is cut off")
	}
	begin := headers[len(headers)-1]
	m := &imported.Measured{NotKnown: memtierNotKnown()}
	if len(headers) > 1 {
		if !isMemtierAverage(lines[:begin]) {
			return nil, lines[begin].errorf("another table begins there, and it is not the average of one set of runs: import the output of one run at a time")
		}
		m.Remarks = append(m.Remarks, "The figures are memtier's average of several runs.")
	}
	if err := memtierTable(m, lines[begin], lines[begin+1:]); err != nil {
		return nil, err
	}
	return m, nil
}

// isMemtierAverage says that what follows the lines is the average of several runs, and the first one: its title is the last of
// the lines, and of none before.
func isMemtierAverage(lines []line) bool {
	titles, last := 0, false
	for _, l := range lines {
		text := strings.TrimSpace(l.text)
		if strings.Trim(text, "-=") == "" {
			continue // a rule
		}
		if last = memtierAverage.MatchString(text); last {
			titles++
		}
	}
	return last && titles == 1
}

var memtierAverage = regexp.MustCompile(`^AGGREGATED AVERAGE RESULTS \([0-9]+ runs\)$`)

// memtierTable reads the rows below a header, to the one of the totals.
func memtierTable(m *imported.Measured, header line, rows []line) error {
	columns := memtierColumns(header.text)
	for _, l := range rows {
		cells := strings.Fields(l.text)
		if len(cells) == 0 || strings.Trim(l.text, "-= ") == "" {
			continue
		}
		if len(cells) != len(columns) {
			return l.errorf("the row has %d columns, and the table %d: the file is cut off or garbled there", len(cells), len(columns))
		}
		if l.cut {
			return checkEnd(rows)
		}
		o, err := memtierRow(columns, cells)
		if err != nil {
			return l.errorf("%w", err)
		}
		if cells[0] == memtierTotals {
			m.Throughput = o.Throughput
			return memtierMisses(m, memtierCell(columns, cells, "Misses/sec"))
		}
		// What wasn't asked for has a row too.
		if o.Throughput != nil && *o.Throughput > 0 {
			if err := addOperation(m, *o); err != nil {
				return l.errorf("%w", err)
			}
		}
	}
	return header.errorf("the table that begins there has no row %s: the file is cut off", memtierTotals)
}

// memtierCell is the cell of the column, "" if there is none.
func memtierCell(columns, cells []string, name string) string {
	if at := slices.Index(columns, name); at >= 0 {
		return cells[at]
	}
	return ""
}

// memtierMisses remarks how many reads of all found nothing, if the tool tells.
func memtierMisses(m *imported.Measured, perSecond string) error {
	if perSecond == "" {
		return nil
	}
	misses, err := number(perSecond)
	if err != nil {
		return err
	}
	if misses != nil && *misses > 0 {
		m.Remarks = append(m.Remarks, fmt.Sprintf("%g reads/s found no record. memtier counts them with the others, and kvbench as failed.", *misses))
	}
	return nil
}

// memtierColumns are the names of the columns. That of a latency may have two words, of which the first is enough.
func memtierColumns(header string) (columns []string) {
	words := strings.Fields(header)
	for i := 0; i < len(words); i++ {
		name := words[i]
		if i+1 < len(words) && words[i+1] == "Latency" && (name == "Avg." || memtierPercentile.MatchString(name)) {
			i++
		}
		columns = append(columns, name)
	}
	return columns
}

var memtierPercentile = regexp.MustCompile(`^p([0-9.]+)$`)

// memtierRow reads a row, whose latencies are in milliseconds.
func memtierRow(columns, cells []string) (*imported.Operation, error) {
	if err := imported.CheckName(cells[0]); err != nil {
		return nil, err
	}
	o := &imported.Operation{Operation: cells[0]}
	l := imported.Latency{Time: imported.Service}
	for i, cell := range cells[1:] {
		power, name := 0, columns[i+1]
		at := &o.Throughput
		switch p := memtierPercentile.FindStringSubmatch(name); {
		case name == "Ops/sec":
		case name == "Avg." || name == "Latency": // the older name
			at, power = &l.MeanMicros, fromMillis
		case p != nil:
			value, _ := percentile(p[1])
			at, power = l.At(value), fromMillis
		default:
			at = nil
		}
		figure, err := scaled(cell, power)
		if err != nil {
			return nil, err
		}
		if at != nil {
			*at = figure
		}
	}
	if !l.Empty() {
		o.Latencies = []imported.Latency{l}
	}
	return o, nil
}
