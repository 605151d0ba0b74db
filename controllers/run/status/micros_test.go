package status

import "testing"

func TestTimesAreRounded(t *testing.T) {
	for micros, want := range map[int64]string{
		940: "0.9ms", 9_949: "9.9ms", 9_999: "10ms", 10_519: "11ms", 47_940: "48ms", 999_499: "999ms", 999_500: "1.00s", 2_234_000: "2.23s", 9_994_999: "9.99s", 9_995_000: "10.0s",
	} {
		if got := formatMicros(micros); got != want {
			t.Errorf("%d µs are %s, want %s", micros, got, want)
		}
	}
}
