package version

import (
	"strings"
	"testing"
)

func TestVersionsFitByMajorAndMinor(t *testing.T) {
	for _, c := range []struct {
		client, server string
		fits           bool
	}{
		{"v0.3.1", "v0.3.9", true},
		{"v0.3.1", "v0.3.1-4-gabcdef", true},
		{"v0.3.1", "0.3.1", true},
		{"v0.3.1", "v0.4.0", false},
		{"v1.3.1", "v0.3.1", false},
		{"v0.3.1", "", false},
		{"devel", "devel", true},
		{"devel", "v0.3.1", false},
	} {
		told := Misfit(c.client, c.server)
		if (told == "") != c.fits {
			t.Errorf("%q and %q: %q", c.client, c.server, told)
		}
		if !c.fits && c.server != "" && !(strings.Contains(told, c.client) && strings.Contains(told, c.server)) {
			t.Errorf("it doesn't name them: %q", told)
		}
	}
}
