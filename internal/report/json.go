package report

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// JSON is the report as docs/reference/report.schema.json describes it. The same report
// gives the same bytes.
func (r *Report) JSON() ([]byte, error) { return Document(r) }

// Document is a value as JSON for people too: indented, and < stays <. The same value gives the same bytes.
func Document(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("rendering the report: %w", err)
	}
	return buffer.Bytes(), nil
}
