package compile

import (
	"strings"
	"testing"
)

// The plan has the placement, and a report shows it: there is one place that sets it.
func TestValuesOfPodsHaveFieldsOfTheirOwn(t *testing.T) {
	for name, instead := range PodValues {
		_, err := With(shortForm(withValues(`{"`+name+`": {}}`)), Files{}, testCatalog())
		if err == nil || !strings.Contains(err.Error(), "spec.store.values."+name+": has a field of its own: set "+instead) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
