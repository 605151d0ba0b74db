package values

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/report"
)

// maxRepositoryBytes bounds the name of an image's repository.
const maxRepositoryBytes = 259

// Repository is where the image of a store of the catalog comes from; "" where that isn't known.
func Repository(s *report.Store) string {
	image, _ := s.Values["image"].(map[string]any)
	repository, _ := image["repository"].(string)
	if s.OwnChart != nil {
		return "" // what its values mean, its author knows
	}
	return report.Truncate(repository, maxRepositoryBytes)
}

// Bounds of the settings that are written for people. report.json has all of them.
const (
	maxSettings    = 64
	maxSettingText = 100
)

// beside are values of the catalog's charts that are no settings: the store's line has them, or they don't say how the
// members work.
var beside = []string{"image", "networkPolicy", "nodes", "security"}

// Settings are the values as people read them, "name=value" each, in the order of names. Values below "settings" of a
// chart of the catalog come first, without that prefix.
func Settings(s *report.Store) []string {
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
		return report.Truncate(text, maxSettingText) + "…"
	}
	return text
}
