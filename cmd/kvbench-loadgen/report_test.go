package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
)

// A bundle whose plan never comes stands for one that takes long.
func TestASignalEndsTheMakingOfAReport(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			plan := filepath.Join(dir, bundle.PlanFile)
			if err := syscall.Mkfifo(plan, 0o644); err != nil {
				t.Fatal(err)
			}
			into := filepath.Join(t.TempDir(), "report")
			command := child(t, "report", dir, "--output", into)
			var said bytes.Buffer
			command.Stderr = &said
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			file, err := os.OpenFile(plan, os.O_WRONLY, 0) // returns when the program reads
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if err := command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			command.Wait() // the exit code says how it went
			if code := command.ProcessState.ExitCode(); code != exitSignal+int(signal) || !bytes.Contains(said.Bytes(), []byte(signal.String())) {
				t.Errorf("exit code %d, %q", code, &said)
			}
			if _, err := os.Stat(into); !os.IsNotExist(err) {
				t.Errorf("there is a report: %v", err)
			}
		})
	}
}

func TestUnpackingEndsWithItsContext(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "bundle.tar")
	var content bytes.Buffer
	w := tar.NewWriter(&content)
	if err := errors.Join(w.WriteHeader(&tar.Header{Name: "plan.json", Mode: 0o644, Size: 0, Typeflag: tar.TypeReg}), w.Close(),
		os.WriteFile(archive, content.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	told := errors.New("told to end")
	cancel(told)
	dir := t.TempDir()
	if err := unpack(ctx, archive, dir); !errors.Is(err, told) {
		t.Errorf("error: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("unpacked: %v, %v", left, err)
	}
}
