// Package parse reads the outputs of other benchmark tools. An output comes from anywhere, so it is hostile input: its
// size is bounded, and what isn't a figure of the tool's format is an error that names the line. Figures are converted
// exactly, and none is computed that the tool didn't print.
package parse

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/kvbench/kvbench/internal/imported"
)

// MaxBytes bounds an output.
const MaxBytes = 64 << 20

// maxLines bounds a text: each line costs more memory than its bytes.
const maxLines = 2_000_000

// Output reads an output of the tool, which is one of imported.Tools.
func Output(tool string, content []byte) (*imported.Measured, error) {
	if err := checkText(content); err != nil {
		return nil, err
	}
	m, err := read(tool, content)
	if err != nil {
		return nil, err
	}
	m.Tool = tool
	if len(m.Operations) == 0 {
		return nil, errors.New("it has no operation with figures")
	}
	if m.Remarks == nil {
		m.Remarks = []string{}
	}
	for i := range m.Operations {
		if m.Operations[i].Latencies == nil {
			m.Operations[i].Latencies = []imported.Latency{}
		}
	}
	return m, nil
}

func read(tool string, content []byte) (*imported.Measured, error) {
	switch {
	case tool == imported.YCSB && isJSON(content):
		return ycsbJSON(content)
	case tool == imported.YCSB:
		return ycsbText(content)
	case tool == imported.GoYCSB:
		return goYCSB(content)
	case tool == imported.Memtier && isJSON(content):
		return memtierJSON(content)
	case tool == imported.Memtier:
		return memtierText(content)
	case tool == imported.RedisBenchmark && isCSV(content):
		return redisCSV(content)
	case tool == imported.RedisBenchmark:
		return redisText(content)
	case tool == imported.K6 && isJSON(content):
		return k6JSON(content)
	case tool == imported.K6:
		return k6Text(content)
	}
	return nil, fmt.Errorf("%q is none of the tools %s", tool, strings.Join(imported.Tools, ", "))
}

var errTooMany = fmt.Errorf("it has more than %d kinds of operations", imported.MaxOperations)

// addOperation adds one, if there are not too many yet.
func addOperation(m *imported.Measured, o imported.Operation) error {
	if len(m.Operations) == imported.MaxOperations {
		return errTooMany
	}
	m.Operations = append(m.Operations, o)
	return nil
}

func checkText(content []byte) error {
	switch {
	case len(content) > MaxBytes:
		return fmt.Errorf("it has more than %d bytes", MaxBytes)
	case len(bytes.TrimSpace(content)) == 0:
		return errors.New("it is empty")
	case !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0:
		return errors.New("it is no text")
	case !isJSON(content) && bytes.Count(content, []byte{'\n'}) > maxLines:
		return fmt.Errorf("it has more than %d lines", maxLines)
	}
	return nil
}

// isJSON says that the first character begins a document of JSON. A line of YCSB's text begins with a bracket too.
func isJSON(content []byte) bool {
	content = bytes.TrimSpace(content)
	if len(content) == 0 {
		return false
	}
	rest := bytes.TrimSpace(content[1:])
	return content[0] == '{' || content[0] == '[' && len(rest) > 0 && (rest[0] == '{' || rest[0] == ']')
}

// Recognize finds out whose output it is. "" says that it is of none of the tools.
func Recognize(content []byte) (tool string) {
	if checkText(content) != nil {
		return ""
	}
	if isJSON(content) {
		return recognizeJSON(content)
	}
	if isCSV(content) {
		return imported.RedisBenchmark
	}
	for _, l := range linesOf(content) {
		switch {
		case strings.HasPrefix(l.text, "[OVERALL],"):
			return imported.YCSB
		case strings.HasPrefix(l.text, goYCSBFinished) || strings.Contains(l.text, goYCSBFigures):
			return imported.GoYCSB
		case isMemtierHeader(l.text):
			return imported.Memtier
		case strings.HasPrefix(l.text, redisSection) || redisQuiet.MatchString(l.text):
			return imported.RedisBenchmark
		case k6Line.MatchString(l.text) && strings.Contains(l.text, "iteration"):
			return imported.K6
		}
	}
	return ""
}

// recognizeJSON goes by the members that the tools' documents have in common.
func recognizeJSON(content []byte) string {
	switch {
	case bytes.Contains(content, []byte(`"measurement"`)) && bytes.Contains(content, []byte(`"OVERALL"`)):
		return imported.YCSB
	case bytes.Contains(content, []byte(`"Ops/sec"`)):
		return imported.Memtier
	case bytes.Contains(content, []byte(`"metrics"`)) && bytes.Contains(content, []byte(`"iterations"`)):
		return imported.K6
	}
	return ""
}
