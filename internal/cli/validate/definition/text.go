package definition

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kvbench/kvbench/internal/editdistance"
)

// wrongType is how the API server says of what type a value has to be, and of what type it is.
var wrongType = regexp.MustCompile(`^must be of type (\w+): "(\w+)"$`)

// wrongFormat is how it says so of numbers that are out of the range of their type. It names no field but in its words.
var wrongFormat = regexp.MustCompile(`^Checked value (must be .+) in (\S+)$`)

// findingOf is an error of the API server's, in words that don't repeat the field.
func findingOf(err *field.Error) Finding {
	path := err.Field
	if path == "<nil>" { // how a path prints that isn't there
		path = ""
	}
	text := wrongType.ReplaceAllString(strings.TrimPrefix(err.Detail, path+" in body "), "must be of type $1, and is of type $2")
	if parts := wrongFormat.FindStringSubmatch(text); parts != nil && path == "" {
		text, path = parts[1], parts[2]
	}
	switch err.Type {
	case field.ErrorTypeDuplicate:
		text = err.ErrorBody() + ": another entry has it already, change one of them"
	case field.ErrorTypeRequired:
		if text == "" {
			text = "is missing: set it"
		}
	case field.ErrorTypeInvalid, field.ErrorTypeTypeInvalid:
		if text == "" {
			text = err.ErrorBody()
		}
	default:
		text = err.ErrorBody()
	}
	return Finding{path, text}
}

// UnknownField is what is wrong with a field that there isn't, at a path such as spec.store.nods. It names those that there
// are.
func (d *Definition) UnknownField(path string) Finding {
	parent, name := "", path
	if at := strings.LastIndex(path, "."); at >= 0 {
		parent, name = path[:at], path[at+1:]
	}
	known := d.fieldsOf(parent)
	if near := editdistance.Nearest(name, known); near != "" {
		return Finding{path, fmt.Sprintf("there is no such field: did you mean %s?", near)}
	}
	if len(known) == 0 {
		return Finding{path, "there is no such field: leave it out"}
	}
	return Finding{path, "there is no such field: use another, or leave it out; known are " + strings.Join(known, ", ")}
}

// index is one of a list's.
var index = regexp.MustCompile(`\[\d+\]`)

// metaFields are those of metadata that people set. Definitions don't list them.
var metaFields = []string{"annotations", "finalizers", "generateName", "labels", "name", "namespace", "ownerReferences"}

// fieldsOf are the names of the fields below a path, in order; nil where the path leads nowhere.
func (d *Definition) fieldsOf(path string) []string {
	if path == "metadata" {
		return metaFields
	}
	at := d.structure
	for _, step := range strings.Split(path, ".") {
		name := index.ReplaceAllString(step, "")
		if name != "" {
			below, exists := at.Properties[name]
			if !exists {
				return nil
			}
			at = &below
		}
		for range index.FindAllString(step, -1) {
			if at = at.Items; at == nil {
				return nil
			}
		}
	}
	return slices.Sorted(maps.Keys(at.Properties))
}
