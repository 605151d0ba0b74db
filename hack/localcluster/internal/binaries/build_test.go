package binaries

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kvbench/kvbench/hack/localcluster/internal/host"
	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
)

func TestAProgramThatAnotherCommandBuildsIsNotBuiltAgain(t *testing.T) {
	dir := t.TempDir()
	cache := Cache{Dir: dir, Source: filepath.Join(dir, "no source"), Report: progress.New()}
	built := Built{Dir: dir, Version: "v1"}
	release, err := host.Lock(t.Context(), filepath.Join(dir, ".etcd.lock"), cache.Report)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- cache.ensure(t.Context(), Etcd, built, "etcd") }()
	if err := os.WriteFile(built.Path("etcd"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	release()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
