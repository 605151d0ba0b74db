package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/screen"
)

func TestTheLocalClusterRemovesItself(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("hack/localcluster", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("_output/bin", 0o755); err != nil {
		t.Fatal(err)
	}
	// It stands for the compiler: the program that it makes, named after -o, notes its call.
	asked := filepath.Join(t.TempDir(), "asked")
	withPrograms(t, map[string]string{"go": `while [ "$1" != -o ]; do shift; done
		printf '#!/bin/sh\necho "$*" >>` + asked + `\n' >"$2"
		/bin/chmod +x "$2"`})
	target, err := choice{kind: "local"}.target(screen.Quiet(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	if err := target.Down(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(asked); err != nil || string(got) != "down\n" {
		t.Errorf("the cluster's program was asked %q, %v", got, err)
	}
}
