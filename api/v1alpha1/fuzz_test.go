package v1alpha1

import (
	"regexp"
	"testing"
	"time"
)

// lengthPattern is the one of Duration's rule.
var lengthPattern = regexp.MustCompile(`^([0-9]{1,5}([.][0-9]{1,3})?(h|m|s)|[0-9]{1,8}ms)+$`)

// Whatever the API server lets through is a length of time, and nothing else is one by
// another reading.
func FuzzDuration(f *testing.F) {
	for _, text := range []string{"90s", "1m30s", "1h0m0s", "500ms", "99999h99999h99999h99999h99999h", "1.5h", "-1s", "+1s", "1", "", "1us", "1e3s", "9999999999999999999h"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const other = 42 * time.Nanosecond
		got := Duration(text).Or(other)
		if len(text) <= 32 && lengthPattern.MatchString(text) && (got == other || got < 0) {
			t.Errorf("%q passes the API's pattern, and is %s", text, got)
		}
		parsed, err := time.ParseDuration(text)
		if err == nil && got != parsed || err != nil && got != other {
			t.Errorf("%q is %s, not %s (%v)", text, got, parsed, err)
		}
	})
}
