package report

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// JSON is the report as docs/reference/report.schema.json describes it. The same report
// gives the same bytes.
func (r *Report) JSON() ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return nil, fmt.Errorf("rendering the report: %w", err)
	}
	return buffer.Bytes(), nil
}
