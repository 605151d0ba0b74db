package page

import (
	"encoding/json"
	"fmt"
)

// Compared is what a page of a comparison is made of.
type Compared struct {
	// Title names the sides.
	Title string `json:"-"`
	// Kind is set by Comparison.
	Kind string `json:"kind"`
	// Summary is what was found, and Caution what has to be known beside it, in sentences.
	Summary string `json:"summary"`
	Caution string `json:"caution,omitempty"`
	// Comparison is the document that compare prints as JSON.
	Comparison any `json:"comparison"`
	// Sides are the base and then the others, in the order of the comparison.
	Sides []Side `json:"sides"`
}

// Side has the documents of a run: report.json and charts.json. Both are nil of what is no run. Charts is nil where there are none.
type Side struct {
	Report json.RawMessage `json:"report"`
	Charts json.RawMessage `json:"charts"`
}

// Comparison is the page of a comparison.
func Comparison(c *Compared) ([]byte, error) {
	c.Kind = "comparison"
	data, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("the page of a comparison: %w", err)
	}
	return document(c.Title, data)
}
