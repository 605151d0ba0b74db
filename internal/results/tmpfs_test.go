//go:build root

package results

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/kvbench/kvbench/internal/loadgen/ship"
	"github.com/kvbench/kvbench/internal/results/client"
)

// On a file system that is really full: it needs the right to mount one, so it is part of
// make test-robustness alone. full_test.go tries the same, and more, without.
func TestARealVolumeThatFillsUpInTheMiddleOfARunLosesNothing(t *testing.T) {
	dir := t.TempDir()
	must(t, unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"))
	t.Cleanup(func() { must(t, unix.Unmount(dir, 0)) })
	t.Run("full", func(t *testing.T) { // the harness closes its files before the unmount
		h := registered(t, func(c *Config) { c.Data, c.Free, c.Limits.ReserveBytes = dir, nil, 64<<10 })
		content := wholeOf(20_000)
		shipper := ship.New(h.as("worker"), runUID, t.Logf, written(t, content))
		ballast := filepath.Join(dir, "ballast")
		must(t, os.WriteFile(ballast, make([]byte, 850<<10), 0o600))
		expect(t, "while it fills up", shipper.Flush(t.Context()), client.ErrFull)
		if got := h.onDiskIfAny(fileA0); got == "" || got != content[:len(got)] {
			t.Errorf("%d bytes on the disk are not the content's first ones", len(got))
		}
		expect(t, "while it is full", h.as("controller").Register(t.Context(), otherUID, planOf(otherUID)), client.ErrFull)
		must(t, os.Remove(ballast))
		must(t, shipper.Finish(t.Context()))
		if got := string(h.onDisk(fileA0)); got != content {
			t.Errorf("%d bytes on the disk differ from the %d that were sent", len(got), len(content))
		}
		must(t, h.as("controller").Register(t.Context(), otherUID, planOf(otherUID)))
	})
}
