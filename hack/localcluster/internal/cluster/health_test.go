package cluster

import "testing"

func TestWhatTheAPIServerWaitsForIsOneLine(t *testing.T) {
	for page, want := range map[string]string{
		"ok":           "",
		"":             "",
		"[+]ping ok\n": "",
		"[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n": "etcd fails",
		"[-]a failed\n[-]b failed\n":                                         "a, b fail",
		"[-]a failed\n[-]b failed\n[-]c failed\n[-]d\n[-]e failed\n":         "a, b, c and 2 other checks fail",
	} {
		if got := failedChecks(page); got != want {
			t.Errorf("%q: %q, want %q", page, got, want)
		}
	}
}
