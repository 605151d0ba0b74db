package bundletest

import "encoding/json"

// NestedValues are objects and lists by turns, of that depth, and text that looks like more of them.
func NestedValues(depth int) json.RawMessage {
	text := `"\"[[["`
	for i := range depth {
		if (depth-i)%2 == 1 {
			text = `{"a":` + text + `}`
		} else {
			text = `[` + text + `]`
		}
	}
	return json.RawMessage(text)
}
