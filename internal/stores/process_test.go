package stores

import (
	"strconv"
	"testing"
)

func TestEachProcessHasANumberOfItsOwn(t *testing.T) {
	if got := ProcessOf(""); got != 0 {
		t.Errorf("nobody is %d", got)
	}
	seen := map[uint64]string{}
	for i := range 10_000 {
		name := strconv.Itoa(1_700_000_000 + i)
		got := ProcessOf(name)
		if got == 0 || float64(got) >= 1<<53 || seen[got] != "" || got != ProcessOf(name) {
			t.Fatalf("%s is %d, as is %q", name, got, seen[got])
		}
		seen[got] = name
	}
}
