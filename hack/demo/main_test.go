package main

import (
	"os/exec"
	"strings"
	"testing"
)

func TestNothingThatTakesLongIsCompiledBeforeTheFirstWord(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") && path != "github.com/kvbench/kvbench/hack/demo" {
			t.Errorf("%s is compiled before", path)
		}
	}
}
