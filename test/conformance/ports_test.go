package conformance

import (
	"os"
	"slices"
	"testing"
)

// Another process may come to the same ports, while the members that have them are down.
func TestNoPortIsHandedOutByTwo(t *testing.T) {
	t.Parallel()
	begin := os.Getpid()*100 + portCount/2
	one, other := &ports{count: begin}, &ports{count: begin}
	taken := one.take(t, 3)
	for _, address := range other.take(t, 3) {
		if slices.Contains(taken, address) {
			t.Errorf("%s is handed out twice", address)
		}
	}
}
