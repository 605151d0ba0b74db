package ycsb

import "testing"

// An objective is written as it is read.
func FuzzObjectives(f *testing.F) {
	for _, text := range []string{"p99 of READ at most 10ms", "p99.9 of read-modify-write at most 1h", "p of at most", "pNaN of READ at most 1s", "p1e2 of READ at most 1s"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ParseObjective(text)
		if err != nil {
			return
		}
		if again, err := ParseObjective(o.String()); err != nil || again != o || o.Bound <= 0 || !(o.Percentile > 0 && o.Percentile <= 100) {
			t.Errorf("%q is %+v, and %q is %+v, %v", text, o, o, again, err)
		}
	})
}
