package definition

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kvbench/kvbench/internal/editdistance"
)

// choice is how rules list the words that a field can have: must be A, B or C.
var choice = regexp.MustCompile(`^must be (?:of )?([\w-]+(?:, [\w-]+)* (?:or|and) [\w-]+)$`)

// separator is between the words of a choice.
var separator = regexp.MustCompile(`, | or | and `)

// withNearest adds to a rule that lists words the one that was probably meant.
func withNearest(text, value string) string {
	listed := choice.FindStringSubmatch(text)
	if listed == nil {
		return text
	}
	words := separator.Split(listed[1], -1)
	near := editdistance.Nearest(value, words)
	if near == "" || slices.Contains(words, value) {
		return text
	}
	return text + ": did you mean " + near + "?"
}

// step is one of a path such as spec.workloads[0].preset.
var step = regexp.MustCompile(`[^.\[\]]+`)

// textAt is the text at a path; "" where there is something else, or nothing.
func textAt(object any, path string) string {
	for _, name := range step.FindAllString(path, -1) {
		switch at := object.(type) {
		case map[string]any:
			object = at[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(at) {
				return ""
			}
			object = at[i]
		default:
			return ""
		}
	}
	text, _ := object.(string)
	return strings.TrimSpace(text)
}
