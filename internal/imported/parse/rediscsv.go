package parse

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/kvbench/kvbench/internal/imported"
)

var redisCSVBegin = regexp.MustCompile(`^"[^"]+","[^"]+"`)

// isCSV says that the first line is one of redis-benchmark --csv.
func isCSV(content []byte) bool { return redisCSVBegin.Match(bytes.TrimSpace(content)) }

// redisCSV reads the lines of redis-benchmark --csv. Versions before 6.2 have no header, and requests/s alone.
func redisCSV(content []byte) (*imported.Measured, error) {
	if err := checkEnd(linesOf(content)); err != nil {
		return nil, err
	}
	m := &imported.Measured{NotKnown: redisNotKnown()}
	table := csv.NewReader(bytes.NewReader(content))
	columns := []string{"test", "rps"}
	for {
		row, err := table.Read()
		if errors.Is(err, io.EOF) {
			return m, nil
		}
		if err != nil {
			return nil, err // has the line
		}
		number, _ := table.FieldPos(0)
		switch {
		case row[0] == "test" && number == 1:
			columns = row
			continue
		case len(row) != len(columns):
			err = fmt.Errorf("the row has %d columns, and not %d", len(row), len(columns))
		default:
			err = redisRow(m, columns, row)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
}

func redisRow(m *imported.Measured, columns, row []string) error {
	o := imported.Operation{Operation: row[0]}
	var names, values []string
	for i, name := range columns[1:] {
		value := row[i+1]
		if latency, is := strings.CutSuffix(name, "_latency_ms"); is {
			names, values = append(names, latency), append(values, value)
			continue
		}
		figure, err := number(value)
		if err != nil {
			return err
		}
		if name == "rps" {
			o.Throughput = figure
		}
	}
	var l imported.Latency
	if err := redisLatency(&l, names, values); err != nil {
		return err
	}
	if !l.Empty() {
		o.Latencies = []imported.Latency{l}
	}
	return addRedis(m, o)
}
