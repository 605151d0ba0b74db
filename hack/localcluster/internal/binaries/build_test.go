package binaries

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

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
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := cache.ensure(short, Etcd, built, "etcd"); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("it doesn't wait for the other: %v", err)
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
