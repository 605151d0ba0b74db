package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// withPrograms puts shell scripts on an otherwise empty PATH.
func withPrograms(t *testing.T, scripts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

func TestNeedDockerSaysWhatToDo(t *testing.T) {
	for name, c := range map[string]struct {
		scripts map[string]string
		want    string
	}{
		"an engine that answers": {map[string]string{"docker": "echo 28.2.2"}, ""},
		"no client":              {nil, "docker is needed and isn't on the PATH: install it first"},
		"no engine": {
			map[string]string{"docker": "echo 'Cannot connect to the Docker daemon at unix:///x.' >&2; exit 1"},
			"the Docker engine doesn't answer: start it",
		},
		"no right to the socket": {
			map[string]string{"docker": "echo 'permission denied while trying to connect to the Docker daemon socket' >&2; exit 1"},
			"you may not use Docker: run this as root",
		},
		"no right to the client's settings, and no engine": {
			map[string]string{"docker": "echo 'config.json: permission denied\nCannot connect to the Docker daemon' >&2; exit 1"},
			"the Docker engine doesn't answer",
		},
	} {
		withPrograms(t, c.scripts)
		err := needDocker(context.Background())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestAProgramThatIsMissingIsNamedInOneLine(t *testing.T) {
	withPrograms(t, nil)
	_, err := output(context.Background(), "kind", "get", "clusters")
	if !errors.Is(err, errNotInstalled) || err.Error() != "kind is needed and isn't on the PATH: install it first" {
		t.Errorf("got %q", err)
	}
}
