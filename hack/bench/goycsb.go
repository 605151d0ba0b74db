package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	goYCSBVersion = "v1.0.1"
	goYCSBModule  = "github.com/pingcap/go-ycsb"
	goYCSBSum     = "h1:OGIUjQjtC22KDHPCqg4+ScWYFZrHQjJnt3Gmf4N8UOw="
	goYCSBProgram = "go-ycsb"
)

// goYCSBStores are the ones that are compared. Some of the others need C libraries.
var goYCSBStores = []string{"basic", "etcd"}

// installGoYCSB builds the module with its own go.mod and go.sum, which `go install` of a
// version refuses because of its replace directive.
func installGoYCSB(ctx context.Context, folder string) error {
	source, err := os.MkdirTemp("", "go-ycsb-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(source)
	module, err := downloadModule(ctx, source)
	if err != nil {
		return err
	}
	if err := os.CopyFS(source, os.DirFS(module)); err != nil {
		return err
	}
	if err := trimStores(filepath.Join(source, "cmd", "go-ycsb", "main.go")); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", filepath.Join(folder, goYCSBProgram), "./cmd/go-ycsb")
	build.Dir = source
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	alone(build)
	return build.Run()
}

// downloadModule returns the module's folder in Go's module cache.
func downloadModule(ctx context.Context, dir string) (string, error) {
	download := exec.CommandContext(ctx, "go", "mod", "download", "-json", goYCSBModule+"@"+goYCSBVersion)
	download.Dir = dir // of no other module
	download.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local")
	alone(download)
	answer, err := download.Output()
	var module struct{ Dir, Sum, Error string }
	if decoding := json.Unmarshal(answer, &module); decoding != nil {
		return "", fmt.Errorf("download %s: %w", goYCSBModule, errors.Join(err, decoding))
	}
	if err != nil {
		return "", fmt.Errorf("download %s: %w: %s", goYCSBModule, err, module.Error)
	}
	if module.Sum != goYCSBSum {
		return "", fmt.Errorf("%s has the checksum %s instead of %s", goYCSBModule, module.Sum, goYCSBSum)
	}
	return module.Dir, nil
}

// trimStores takes the imports of other stores out of the main file.
func trimStores(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	// The file came from the module cache, which is read-only.
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.WriteFile(path, withoutOtherStores(text), 0o644)
}

func withoutOtherStores(main []byte) []byte {
	var kept bytes.Buffer
	for line := range bytes.Lines(main) {
		_, store, isStore := strings.Cut(string(line), `"`+goYCSBModule+"/db/")
		if isStore && !slices.Contains(goYCSBStores, strings.TrimRight(store, "\"\n")) {
			continue
		}
		kept.Write(line)
	}
	return kept.Bytes()
}
