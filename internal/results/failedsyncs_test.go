package results

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/ship"
	"github.com/kvbench/kvbench/internal/results/client"
)

// The kernel, which holds lost bytes for written, outlives the server.
func TestTheNextServerKnowsOfAFailedSyncToo(t *testing.T) {
	content := wholeOf(100)
	h, v := onVolume(t)
	shipper := ship.New(h.as("worker"), runUID, t.Logf, written(t, content))
	must(t, shipper.Flush(t.Context()))
	v.syncs, v.stuck = []error{unix.EIO}, unix.EROFS
	for range 3 {
		if err := h.as("worker").End(t.Context(), runUID, fileA0, endOf(content)); !client.Transient(err) {
			t.Errorf("the end mark was answered with %v, which is not to be tried again", err)
		}
		h.restart()
	}
	var archive bytes.Buffer
	must(t, h.as("reader").Bundle(t.Context(), runUID, &archive))
	for files := tar.NewReader(&archive); ; {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		if strings.HasSuffix(file.Name, failedSyncSuffix) {
			t.Errorf("the bundle has the file %s", file.Name)
		}
	}
	v.stuck = nil
	must(t, shipper.Finish(t.Context()))
	if got := string(h.onDisk(fileA0)); got != content {
		t.Errorf("%d bytes on the disk differ from the %d that were sent", len(got), len(content))
	}
	if left, _ := filepath.Glob(filepath.Join(h.config.Data, runsFolder, runUID, "*"+failedSyncSuffix)); len(left) > 0 {
		t.Errorf("marks of failed syncs are left: %v", left)
	}
}

// A file that is there may not be so after a power cut, when the sync of its name failed. It is
// answered with once it was written anew.
func TestWhatIsSaidAgainIsDurable(t *testing.T) {
	for _, c := range []struct {
		what, file string
		do         func(ctx context.Context, h *harness) error
	}{
		{"a claim", bundle.ClaimsFile, func(ctx context.Context, h *harness) error {
			return h.as("worker").Claim(ctx, runUID, writerA0)
		}},
		{"a start", bundle.StartFile("a"), func(ctx context.Context, h *harness) error {
			_, err := h.as("controller").StartIn(ctx, runUID, "a", 3*time.Second)
			return err
		}},
		{"the faults", bundle.FaultsFile, func(ctx context.Context, h *harness) error {
			return h.as("controller").PutFaults(ctx, runUID, []byte(`{"name":"kill"}`+"\n"))
		}},
		{"the report", bundle.ReportFile, makeReport},
		{"an end mark", bundle.EndFile(fileA0), func(ctx context.Context, h *harness) error {
			return h.as("worker").End(ctx, runUID, fileA0, endOf("hello"))
		}},
	} {
		for _, restarts := range []bool{false, true} {
			t.Run(c.what, func(t *testing.T) {
				h, v := onVolume(t)
				_, err := h.as("worker").Append(t.Context(), runUID, fileA0, 0, []byte("hello"))
				must(t, err)
				path := filepath.Join(h.config.Data, runsFolder, runUID, c.file)
				v.fails = func(file *os.File) error {
					_, err := os.Stat(path)
					if info, _ := file.Stat(); err == nil && info.IsDir() {
						return unix.EIO
					}
					return nil
				}
				if err := c.do(t.Context(), h); !client.Transient(err) {
					t.Errorf("it was answered with %v, which is not to be tried again", err)
				}
				before, err := os.Stat(path)
				must(t, err)
				v.fails = nil
				if restarts {
					h.restart()
				}
				must(t, c.do(t.Context(), h))
				after, err := os.Stat(path)
				must(t, err)
				if os.SameFile(before, after) {
					t.Error("the second sync of the same name was believed")
				}
				must(t, c.do(t.Context(), h))
				if again, err := os.Stat(path); err != nil || !os.SameFile(after, again) {
					t.Errorf("what is durable is written once more (%v)", err)
				}
			})
		}
	}
}

// A slow disk must hold up neither the retention nor those who ask for the run's state.
func TestARunIsNotLockedWhileItsFilesAreSettled(t *testing.T) {
	h, v := onVolume(t)
	_, err := h.as("worker").Append(t.Context(), runUID, fileA0, 0, []byte(wholeOf(100)))
	must(t, err)
	r, _ := h.server.registry.find(runUID)
	synced := 0
	v.syncs = []error{unix.EIO} // so that it is written anew
	v.fails = func(*os.File) error {
		synced++
		if !r.mu.TryLock() {
			return errors.New("the run is locked")
		}
		r.mu.Unlock()
		return nil
	}
	must(t, makeReport(t.Context(), h))
	if synced < 3 {
		t.Errorf("%d syncs were looked at", synced)
	}
}
