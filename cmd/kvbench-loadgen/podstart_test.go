package main

import (
	"os"
	"path/filepath"
	"testing"
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
		if err := install(from, to); err != nil {
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
	if err := install(filepath.Join(folder, "nothing"), to); err == nil {
		t.Error("what isn't there was installed")
	}
}
