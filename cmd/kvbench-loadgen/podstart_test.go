package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestAProgramIsInstalledAgainOverWhatAKilledOneLeft(t *testing.T) {
	folder := t.TempDir()
	from, to := filepath.Join(folder, "program"), filepath.Join(folder, "copy")
	if err := os.WriteFile(from, []byte("#!/bin/true"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to+".part", []byte("a longer text than that of the program"), 0o755); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := install(t.Context(), from, to); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(to)
	if err != nil || string(text) != "#!/bin/true" {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info, err)
	}
	if err := install(t.Context(), filepath.Join(folder, "nothing"), to); err == nil {
		t.Error("what isn't there was installed")
	}
}

// A member that couldn't say who it is would wait for the others for ever.
func TestAMemberOfEtcdNeedsThePasswordThatItIsToldOf(t *testing.T) {
	folder := t.TempDir()
	start := func() error {
		command := newStartEtcdCommand()
		command.SetArgs([]string{"--credentials=" + folder, "--", "/etcd", "--data-dir=" + folder})
		command.SetOut(io.Discard)
		command.SetErr(io.Discard)
		return command.ExecuteContext(t.Context())
	}
	if err := start(); err == nil || !strings.Contains(err.Error(), "have no password") {
		t.Errorf("without it: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, stores.FilePassword), []byte("a secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := start(); err == nil || !strings.Contains(err.Error(), "the command of etcd needs") || strings.Contains(err.Error(), "a secret") {
		t.Errorf("with it: %v", err)
	}
}
