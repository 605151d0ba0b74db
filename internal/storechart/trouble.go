package storechart

import (
	"errors"
	"regexp"
	"strings"

	"github.com/kvbench/kvbench/internal/helm"
)

// Trouble is what is wrong with values that a chart doesn't take, by the fields of the spec. It may repeat the values.
func Trouble(err error) string {
	var bad *helm.BadValues
	if errors.As(err, &bad) {
		return withPaths(bad.Trouble)
	}
	return err.Error()
}

// pointer is how a schema's finding begins, and one that follows: - at '/settings/heap':
var pointer = regexp.MustCompile(`( -)? ?at '((?:[^'\\]|\\.)*)':`)

// withPaths names the values of a schema's findings by the spec's fields.
func withPaths(findings string) string {
	return strings.TrimSpace(pointer.ReplaceAllStringFunc(findings, func(found string) string {
		parts := pointer.FindStringSubmatch(found)
		if parts[1] != "" {
			return "; at " + fieldOf(parts[2]) + ":"
		}
		return " at " + fieldOf(parts[2]) + ":"
	}))
}

// fieldOf is the field of the spec that sets the value; some values have one of their own.
func fieldOf(pointer string) string {
	path := strings.ReplaceAll(pointer, "/", ".")
	for value, field := range map[string]string{
		".nodes": "nodes", ".image.tag": "version", ".storage": "storage", ".security": "security",
	} {
		if rest, own := strings.CutPrefix(path, value); own && (rest == "" || rest[0] == '.') {
			return "spec.store." + field + rest
		}
	}
	return "spec.store.values" + path
}
