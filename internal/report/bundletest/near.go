package bundletest

import "testing"

func Near(t *testing.T, what string, got, want, accuracy int64) {
	t.Helper()
	if accuracy == 0 {
		accuracy = 50 * Millisecond
	}
	if off := got - want; off > accuracy || off < -accuracy {
		t.Errorf("%s is %d µs, want %d ± %d", what, got, want, accuracy)
	} else {
		t.Logf("%s: %d µs, off by %d", what, got, off)
	}
}
