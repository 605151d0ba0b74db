package parse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/kvbench/kvbench/internal/imported"
)

// ycsbEntry is one object of YCSB's JSON exporters.
type ycsbEntry struct {
	Metric      string `json:"metric"`
	Measurement string `json:"measurement"`
	Value       any    `json:"value"`
}

// ycsbJSON reads what YCSB's exporters of JSON write: one array, or one object after the other.
func ycsbJSON(content []byte) (*imported.Measured, error) {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	inArray := bytes.TrimSpace(content)[0] == '['
	if inArray {
		if _, err := decoder.Token(); err != nil {
			return nil, jsonError(content, decoder, err)
		}
	}
	y, lines := newYCSB(), lineCounter{content: content}
	for decoder.More() {
		var e ycsbEntry
		err := decoder.Decode(&e)
		if err != nil {
			return nil, jsonError(content, decoder, err)
		}
		number := lines.at(decoder.InputOffset())
		if err := y.add(number, e.Metric, e.Measurement, fmt.Sprint(e.Value)); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if inArray {
		if _, err := decoder.Token(); err != nil {
			return nil, jsonError(content, decoder, err)
		}
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: something follows after the end of the JSON", lineAt(content, decoder.InputOffset()))
	}
	return y.finish()
}

// jsonError names the line of an error of the decoder.
func jsonError(content []byte, decoder *json.Decoder, err error) error {
	offset := decoder.InputOffset()
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("line %d: the JSON is cut off", lineAt(content, int64(len(content))))
	case errors.As(err, &syntax):
		offset = max(offset, syntax.Offset)
	case errors.As(err, &mistyped):
		offset = max(offset, mistyped.Offset)
	}
	return fmt.Errorf("line %d: %w", lineAt(content, offset), err)
}

// lineCounter numbers lines while a decoder goes on. It looks at each byte once: a document may have a million entries.
type lineCounter struct {
	content []byte
	offset  int64
	breaks  int // before the offset
}

// at is the number of the line that ends or goes on at the offset. Offsets don't go back.
func (c *lineCounter) at(offset int64) int {
	c.breaks += bytes.Count(c.content[c.offset:offset], []byte{'\n'})
	c.offset = offset
	return 1 + c.breaks
}

// lineAt is the number of the line that the byte is in.
func lineAt(content []byte, offset int64) int {
	offset = min(offset, int64(len(content)))
	return 1 + bytes.Count(bytes.TrimRight(content[:offset], "\n"), []byte{'\n'})
}
