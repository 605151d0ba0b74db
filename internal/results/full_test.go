package results

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/ship"
	"github.com/kvbench/kvbench/internal/results/client"
)

// volume is a disk that fills up as a real one does: of a write it takes what fits, and
// says that there is no room for the rest. It can also fail to make things durable.
type volume struct {
	mu    sync.Mutex
	room  int64
	syncs []error                   // of the next syncs; then they succeed
	stuck error                     // of truncating; nil succeeds
	fails func(file *os.File) error // of the syncs after these, where it is set
	cut   int                       // writes that did not fit
}

func (v *volume) setRoom(bytes int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.room = bytes
}

func (v *volume) disk() *disk { return &disk{write: v.write, sync: v.sync, truncate: v.truncate} }

func (v *volume) truncate(path string, length int64) error {
	if v.stuck != nil {
		return v.stuck
	}
	return os.Truncate(path, length)
}

func (v *volume) write(file *os.File, content []byte, offset int64) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	fits := min(int64(len(content)), v.room)
	n, err := file.WriteAt(content[:fits], offset)
	v.room -= int64(n)
	if err == nil && n < len(content) {
		v.cut++
		err = &fs.PathError{Op: "write", Path: file.Name(), Err: unix.ENOSPC}
	}
	return n, err
}

func (v *volume) sync(file *os.File) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.syncs) > 0 {
		err := v.syncs[0]
		v.syncs = v.syncs[1:]
		if err != nil {
			return err
		}
	}
	if v.fails != nil {
		if err := v.fails(file); err != nil {
			return err
		}
	}
	return file.Sync()
}

const plenty = 1 << 30

// onVolume is a harness that knows the run, on a volume with plenty of room.
func onVolume(t *testing.T) (*harness, *volume) {
	t.Helper()
	v := &volume{room: plenty}
	return registered(t, func(c *Config) { c.disk = v.disk() }), v
}

// wholeOf is content with the same number of bytes in each line, so that a byte that is lost or
// doubled shows.
func wholeOf(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "line %09d\n", i)
	}
	return b.String()
}

// written is a worker's file with this content, on the worker's own disk.
func written(t *testing.T, content string) *ship.File {
	t.Helper()
	file, err := ship.Create(t.TempDir(), fileA0)
	must(t, err)
	t.Cleanup(func() { file.Close() })
	_, err = file.Write([]byte(content))
	must(t, err)
	return file
}

func TestAVolumeThatFillsUpInTheMiddleOfARunLosesNothing(t *testing.T) {
	content := wholeOf(20_000) // five pieces
	for _, room := range []int64{0, 1, 14, 15, 1000, pieceBytes - 1, pieceBytes, pieceBytes + 1, 3*pieceBytes + 77, int64(len(content)) - 1, int64(len(content))} {
		t.Run(fmt.Sprintf("with %d bytes left", room), func(t *testing.T) {
			h, v := onVolume(t)
			shipper := ship.New(h.as("worker"), runUID, t.Logf, written(t, content))
			v.setRoom(room)
			expect(t, "while it is full", shipper.Flush(t.Context()), fullBelow(room, len(content)))
			if got := h.onDiskIfAny(fileA0); !strings.HasPrefix(content, got) {
				t.Errorf("%d bytes on the disk are not the content's first ones", len(got))
			}
			h.restart()
			v.setRoom(plenty)
			must(t, shipper.Finish(t.Context()))
			if got := string(h.onDisk(fileA0)); got != content {
				t.Errorf("%d bytes on the disk differ from the %d that were sent", len(got), len(content))
			}
			state, err := h.as("controller").State(t.Context(), runUID)
			must(t, err)
			if len(state.Files) != 1 || !state.Files[0].Ended || state.Files[0].Length != int64(len(content)) {
				t.Errorf("the server holds %+v", state.Files)
			}
		})
	}
}

func fullBelow(room int64, need int) error {
	if room < int64(need) {
		return client.ErrFull
	}
	return nil
}

func (h *harness) onDiskIfAny(name string) string {
	h.t.Helper()
	content, err := os.ReadFile(filepath.Join(h.config.Data, runsFolder, runUID, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.t.Fatal(err)
	}
	return string(content)
}

func TestShippingToAVolumeThatStaysFullEndsWithWordsThatNameIt(t *testing.T) {
	h, v := onVolume(t)
	v.setRoom(100)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	err := ship.New(h.as("worker"), runUID, t.Logf, written(t, wholeOf(100))).Finish(ctx)
	if err == nil || !strings.Contains(err.Error(), "volume is full") || !strings.Contains(err.Error(), "1400 bytes of which have not arrived") {
		t.Errorf("error: %v", err)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("a pod's last words are one line, not:\n%v", err)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the deadline is not the cause of: %v", err)
	}
}

// What is created once or replaced is there whole or not at all, and can be tried again.
func TestNothingIsTornOnAFullVolume(t *testing.T) {
	for _, c := range []struct {
		what, file string
		need       int64 // bytes that are written before the file's own
		do         func(ctx context.Context, h *harness) error
	}{
		{"a claim", bundle.ClaimsFile, 0, func(ctx context.Context, h *harness) error {
			return h.as("worker").Claim(ctx, runUID, writerA0)
		}},
		{"a start", bundle.StartFile("a"), 0, func(ctx context.Context, h *harness) error {
			_, err := h.as("controller").StartIn(ctx, runUID, "a", 3*time.Second)
			return err
		}},
		{"the faults", bundle.FaultsFile, 0, func(ctx context.Context, h *harness) error {
			return h.as("controller").PutFaults(ctx, runUID, []byte(`{"name":"kill"}`+"\n"))
		}},
		{"the markdown", bundle.MarkdownFile, 0, makeReport},
		{"the report", bundle.ReportFile, int64(len("# report\n")), makeReport},
		{"an end mark", bundle.EndFile(fileA0), 0, func(ctx context.Context, h *harness) error {
			return h.as("worker").End(ctx, runUID, fileA0, endOf("hello"))
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			h, v := onVolume(t)
			_, err := h.as("worker").Append(t.Context(), runUID, fileA0, 0, []byte("hello"))
			must(t, err)
			for _, room := range []int64{0, 1, 5} {
				v.setRoom(c.need + room)
				before := v.cut
				expect(t, c.what, c.do(t.Context(), h), client.ErrFull)
				if v.cut == before {
					t.Error("the volume had room for all of it: this tests nothing")
				}
				if got := h.onDiskIfAny(c.file); got != "" {
					t.Errorf("%s holds %q", c.file, got)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(h.config.Data, runsFolder, runUID, tempPrefix+"*")); len(left) > 0 {
				t.Errorf("half written files stay: %v", left)
			}
			h.restart()
			v.setRoom(plenty)
			must(t, c.do(t.Context(), h))
			must(t, c.do(t.Context(), h)) // and again, which changes nothing
			if h.onDiskIfAny(c.file) == "" {
				t.Errorf("%s is empty", c.file)
			}
		})
	}
}

func makeReport(ctx context.Context, h *harness) error {
	_, err := h.as("controller").MakeReport(ctx, runUID)
	return err
}

func TestAFullVolumeTakesNoNewRun(t *testing.T) {
	h, v := onVolume(t)
	v.setRoom(20)
	expect(t, "a plan that doesn't fit", h.as("controller").Register(t.Context(), otherUID, planOf(otherUID)), client.ErrFull)
	must(t, h.as("controller").Register(t.Context(), runUID, planOf(runUID))) // is there already
	h.restart()
	v.setRoom(plenty)
	must(t, h.as("controller").Register(t.Context(), otherUID, planOf(otherUID)))
}

// A kernel says once that bytes did not reach the disk, and then forgets it. What it lost
// must not get an end mark by a second attempt.
func TestBytesWhoseSyncFailedAreSentAgain(t *testing.T) {
	content := wholeOf(20_000)
	for _, c := range []struct {
		what string
		err  error
	}{
		{"an error of the device", unix.EIO},
		{"no room at last", unix.ENOSPC},
		{"a quota at last", unix.EDQUOT},
	} {
		t.Run(c.what, func(t *testing.T) {
			h, v := onVolume(t)
			worker := h.as("worker")
			shipper := ship.New(worker, runUID, t.Logf, written(t, content))
			must(t, shipper.Flush(t.Context()))
			v.syncs = []error{c.err}
			if err := worker.End(t.Context(), runUID, fileA0, endOf(content)); !client.Transient(err) {
				t.Errorf("the end mark was answered with %v, which is not to be tried again", err)
			}
			if got := h.onDiskIfAny(fileA0); got != "" {
				t.Errorf("%d bytes are still taken for written", len(got))
			}
			must(t, shipper.Finish(t.Context()))
			if got := string(h.onDisk(fileA0)); got != content {
				t.Errorf("%d bytes on the disk differ from the %d that were sent", len(got), len(content))
			}
			if r, _ := h.server.registry.find(runUID); r.bytes != int64(len(content)+len(h.onDisk(bundle.EndFile(fileA0)))+len(h.onDisk(bundle.PlanFile))) {
				t.Errorf("the run is taken to have %d bytes", r.bytes)
			}
		})
	}
}

// The worker has the good bytes still, and nobody else has.
func TestBytesThatAreWrongAtTheEndMarkAreSentAgain(t *testing.T) {
	content := wholeOf(20_000)
	for what, wrong := range map[string]func(string) string{
		"one byte":           func(c string) string { return c[:70_000] + "?" + c[70_001:] },
		"a page of zeros":    func(c string) string { return c[:4096] + strings.Repeat("\x00", 4096) + c[8192:] },
		"all of them":        strings.ToUpper,
		"the last and fewer": func(c string) string { return c[:len(c)-3] + "?" },
	} {
		t.Run(what, func(t *testing.T) {
			h, _ := onVolume(t)
			shipper := ship.New(h.as("worker"), runUID, t.Logf, written(t, content))
			must(t, shipper.Flush(t.Context()))
			must(t, os.WriteFile(filepath.Join(h.config.Data, runsFolder, runUID, fileA0), []byte(wrong(content)), 0o640))
			h.restart()
			must(t, shipper.Finish(t.Context()))
			if got := string(h.onDisk(fileA0)); got != content {
				t.Errorf("%d bytes on the disk differ from the %d that were sent", len(got), len(content))
			}
			if r, _ := h.server.registry.find(runUID); r.bytes != int64(len(content)+len(h.onDisk(bundle.EndFile(fileA0)))+len(h.onDisk(bundle.PlanFile))) {
				t.Errorf("the run is taken to have %d bytes", r.bytes)
			}
		})
	}
}

// The truncation that takes such bytes back may fail as well.
func TestBytesThatCanNotBeTakenBackGetNoEndMark(t *testing.T) {
	content := wholeOf(100)
	h, v := onVolume(t)
	worker := h.as("worker")
	shipper := ship.New(worker, runUID, t.Logf, written(t, content))
	must(t, shipper.Flush(t.Context()))
	v.syncs, v.stuck = []error{unix.EIO}, unix.EROFS
	for range 3 {
		if err := worker.End(t.Context(), runUID, fileA0, endOf(content)); !client.Transient(err) {
			t.Errorf("the end mark was answered with %v, which is not to be tried again", err)
		}
	}
	if got := h.onDiskIfAny(bundle.EndFile(fileA0)); got != "" {
		t.Errorf("there is an end mark: %s", got)
	}
	v.stuck = nil
	must(t, shipper.Finish(t.Context()))
	if got := string(h.onDisk(fileA0)); got != content {
		t.Errorf("%d bytes on the disk differ from the %d that were sent", len(got), len(content))
	}
}

// A file of a pod that was lost is not sent again. The report must not be made of bytes that
// only the kernel's memory has.
func TestTheReportIsMadeOfWhatIsDurable(t *testing.T) {
	content := wholeOf(20_000)
	h, v := onVolume(t)
	_, err := h.as("worker").Append(t.Context(), runUID, fileA0, 0, []byte(content))
	must(t, err)
	path := filepath.Join(h.config.Data, runsFolder, runUID, fileA0)
	before, err := os.Stat(path)
	must(t, err)
	v.syncs = []error{unix.EIO, unix.EIO} // of the file, and of its copy
	if err := makeReport(t.Context(), h); !client.Transient(err) {
		t.Errorf("the report was answered with %v, which is not to be tried again", err)
	}
	if got := h.onDiskIfAny(bundle.ReportFile); got != "" {
		t.Error("there is a report")
	}
	must(t, makeReport(t.Context(), h)) // now every sync succeeds
	after, err := os.Stat(path)
	must(t, err)
	if os.SameFile(before, after) {
		t.Error("the second sync of the same bytes was believed")
	}
	if got := string(h.onDisk(fileA0)); got != content {
		t.Errorf("%d bytes on the disk differ from the %d that were sent", len(got), len(content))
	}
}

func TestAClaimWhoseSyncFailedIsWrittenAnew(t *testing.T) {
	h, v := onVolume(t)
	must(t, h.as("worker").Claim(t.Context(), runUID, writerA0))
	second := bundle.Writer{Role: bundle.RoleObserver, PodUID: obsUID}
	v.syncs, v.stuck = []error{unix.EIO}, unix.EROFS
	if err := h.as("observer").Claim(t.Context(), runUID, second); !client.Transient(err) {
		t.Errorf("the claim was answered with %v, which is not to be tried again", err)
	}
	if got := strings.Count(h.onDiskIfAny(bundle.ClaimsFile), "\n"); got != 1 {
		t.Errorf("%d claims on the disk, and one was answered", got)
	}
	must(t, h.as("observer").Claim(t.Context(), runUID, second))
	h.restart()
	state, err := h.as("controller").State(t.Context(), runUID)
	must(t, err)
	if len(state.Claims) != 2 {
		t.Errorf("the claims are %+v", state.Claims)
	}
}

func TestAnAppendIsToldWhenLittleRoomIsLeft(t *testing.T) {
	free := uint64(1 << 40)
	h := registered(t, func(c *Config) {
		c.Limits.BytesPerRun = 1 << 20
		c.Free = func() (uint64, error) { return free, nil }
	})
	worker := h.as("worker")
	half := h.config.Limits.ReserveBytes / 2
	length := int64(0)
	for _, c := range []struct {
		what   string
		append int
		free   uint64
		want   bool
	}{
		{"with plenty of room", 900 << 10, 1 << 40, false},
		{"of a volume with half of its reserve", 1, half, false},
		{"of a volume with less", 1, half - 1, true},
		{"of a volume that has room again", 1, 1 << 40, false},
		{"of a run that has all but a sixteenth", 100 << 10, 1 << 40, true},
	} {
		free = c.free
		var err error
		length, err = worker.Append(t.Context(), runUID, fileA0, length, make([]byte, c.append))
		must(t, err)
		if worker.NearlyFull() != c.want {
			t.Errorf("%s: nearly full %v", c.what, !c.want)
		}
	}
}
