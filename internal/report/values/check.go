// Package values has the values that a store was deployed with: their bounds, and what is shown of them to people.
package values

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Bounds of a store's values. A spec's have 64 KiB, of which JSON may make six times as much, and are
// nested to a depth of 16; those of the catalog's charts have 3 KiB. The report indents them, so what is
// deep costs more than its bytes.
const (
	MaxBytes = 512 << 10
	MaxDepth = 32
)

// Check refuses values that no plan can have.
func Check(encoded json.RawMessage) error {
	if len(encoded) > MaxBytes {
		return fmt.Errorf("%d bytes, and there can be %d", len(encoded), MaxBytes)
	}
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(encoded); i++ {
		switch c := encoded[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	if deepest > MaxDepth {
		return fmt.Errorf("nested %d deep, and can be %d", deepest, MaxDepth)
	}
	if len(encoded) > 0 && Decode(encoded) == nil {
		return fmt.Errorf("no object: %.40q", encoded)
	}
	return nil
}

// Decode is nil for what is no object. Numbers stay as they were written.
func Decode(encoded json.RawMessage) map[string]any {
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var values map[string]any
	if err := decoder.Decode(&values); err != nil {
		return nil
	}
	return values
}
