package main

import (
	"io"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/screen"
)

func TestACompilersOutputIsSplitIntoProgressAndComplaints(t *testing.T) {
	s := screen.Quiet(io.Discard)
	c := &compiled{screen: s}
	for _, part := range []string{"internal/abi\nk8s.io/api/core/v1\n", "# example.org/x\nx/x.go:3:5: undefined: y\n"} {
		if _, err := c.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if c.packages != 2 || len(c.complaints) != 2 {
		t.Errorf("got %d packages, complaints %q", c.packages, c.complaints)
	}
}
