package bundletest

import "testing"

// Near compares microseconds. An accuracy of 0 is 50 ms.
func Near[T ~int64](t *testing.T, what string, got T, want, accuracy int64) {
	t.Helper()
	if accuracy == 0 {
		accuracy = 50 * Millisecond
	}
	if off := int64(got) - want; off > accuracy || off < -accuracy {
		t.Errorf("%s is %d µs, want %d ± %d", what, got, want, accuracy)
	} else {
		t.Logf("%s: %d µs, off by %d", what, got, off)
	}
}
