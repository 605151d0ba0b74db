package ycsb

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/ycsb/measurements"
)

func TestAnExportKeepsItsFileUntilThereAreFigures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(path, []byte("old results"), 0o644); err != nil {
		t.Fatal(err)
	}
	o, err := openExports([]export{{FormatText, path}}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "old results" {
		t.Errorf("opened, it holds %q, %v", text, err)
	}
	s := settled(t, pairs())
	f := &figures{Figures: &measurements.Figures{RuntimeMillis: 1, Totals: &measurements.Totals{}}}
	if err := errors.Join(o.write(&run{Settings: s}, f), o.close()); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), "[OVERALL]") || strings.Contains(string(text), "old") {
		t.Errorf("written, it holds %.40q, %v", text, err)
	}
}

func TestAFileUnderTwoNamesIsRefused(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Symlink("a", in("b")); err != nil {
		t.Fatal(err)
	}
	var bad BadInput
	if _, err := openExports([]export{{FormatText, in("a")}, {FormatCSV, in("b")}}, io.Discard); !errors.As(err, &bad) || !strings.Contains(err.Error(), "are the same file") {
		t.Errorf("two names: %v", err)
	}
	o, err := openExports([]export{{FormatText, os.DevNull}, {FormatCSV, os.DevNull}, {FormatJSON, in("c")}}, io.Discard)
	if err != nil {
		t.Fatalf("a device: %v", err)
	}
	if err := errors.Join(o.empty(), o.close()); err != nil {
		t.Error(err)
	}
}
