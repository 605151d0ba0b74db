package suite

import (
	"fmt"
	"strconv"
	"strings"
)

// set puts a value at the place in a JSON document that a pointer names (RFC 6901). It makes the objects on the way that are
// not there, and no elements of lists. The document is changed.
func set(document any, pointer string, value any) error {
	if !strings.HasPrefix(pointer, "/") {
		return fmt.Errorf("%q is no JSON pointer: it must begin with /", pointer)
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	at := document
	for i, token := range tokens {
		last := i == len(tokens)-1
		switch parent := at.(type) {
		case map[string]any:
			if last {
				parent[token] = value
				return nil
			}
			if parent[token] == nil {
				parent[token] = map[string]any{}
			}
			at = parent[token]
		case []any:
			index, err := strconv.Atoi(token)
			if err != nil || index < 0 || index >= len(parent) || strconv.Itoa(index) != token {
				return fmt.Errorf("%s has %d elements, and no %q", named(tokens[:i]), len(parent), token)
			}
			if last {
				parent[index] = value
				return nil
			}
			at = parent[index]
		default:
			return fmt.Errorf("%s is %v, and has no fields", named(tokens[:i]), parent)
		}
	}
	return nil
}

func named(tokens []string) string {
	if len(tokens) == 0 {
		return "the spec"
	}
	return "/" + strings.Join(tokens, "/")
}
