package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Bounds of a store's values. A spec's have 64 KiB, of which JSON may make six times as much, and are
// nested to a depth of 16; those of the catalog's charts have 3 KiB. The report indents them, so what is
// deep costs more than its bytes.
const (
	maxValuesBytes = 512 << 10
	maxValuesDepth = 32
)

func checkValues(encoded json.RawMessage) error {
	if len(encoded) > maxValuesBytes {
		return fmt.Errorf("%d bytes, and there can be %d", len(encoded), maxValuesBytes)
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
	if deepest > maxValuesDepth {
		return fmt.Errorf("nested %d deep, and can be %d", deepest, maxValuesDepth)
	}
	if len(encoded) > 0 && decodeValues(encoded) == nil {
		return fmt.Errorf("no object: %.40q", encoded)
	}
	return nil
}

// decodeValues is nil for what is no object. Numbers stay as they were written.
func decodeValues(encoded json.RawMessage) map[string]any {
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var values map[string]any
	if err := decoder.Decode(&values); err != nil {
		return nil
	}
	return values
}

// repository is where the image of a store of the catalog comes from; "" where that isn't known.
func (s *Store) repository() string {
	image, _ := s.Values["image"].(map[string]any)
	repository, _ := image["repository"].(string)
	if s.OwnChart != nil {
		return "" // what its values mean, its author knows
	}
	return cut(repository, maxName)
}

// Of the settings so many are written for people, each so long at most. report.json has all.
const (
	maxSettings    = 64
	maxSettingText = 100
)

// beside are values of the catalog's charts that the store's line has, or that don't say how the members
// work.
var beside = []string{"image", "networkPolicy", "nodes", "security"}

// settings are the values for people, "name=value" each, in the order of names: those that a chart of
// the catalog calls settings by these names alone, and before the others.
func (s *Store) settings() []string {
	rest := maps.Clone(s.Values)
	var first []string
	if s.OwnChart == nil {
		for _, name := range beside {
			delete(rest, name)
		}
		if own, ok := rest["settings"].(map[string]any); ok {
			first = appendSettings(nil, "", own)
			delete(rest, "settings")
		}
	}
	all := appendSettings(first, "", rest)
	if more := len(all) - maxSettings; more > 0 {
		all = append(all[:maxSettings], fmt.Sprintf("and %d more", more))
	}
	return all
}

func appendSettings(to []string, prefix string, values map[string]any) []string {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if inner, ok := values[name].(map[string]any); ok && len(inner) > 0 {
			to = appendSettings(to, prefix+name+".", inner)
			continue
		}
		to = append(to, shortened(prefix+name)+"="+shortened(settingText(values[name])))
	}
	return to
}

// settingText is a string as it is, and anything else as JSON.
func settingText(value any) string {
	if text, ok := value.(string); ok && text != "" {
		return text
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return "?" // of decoded JSON there is no such value
	}
	return string(encoded)
}

func shortened(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxSettingText {
		return cut(text, maxSettingText) + "…"
	}
	return text
}
