package ship

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// server holds files in memory and follows a script of troubles, one for each request;
// the zero trouble is none.
type server struct {
	files    map[string][]byte
	ended    map[string]bool
	troubles []trouble
	requests int

	nearlyFull bool
}

type trouble struct {
	before error // refused: nothing happens
	after  error // done, but the answer is lost
	shrink int   // first, the copy loses so many bytes
	spoil  bool  // first, a byte of the copy changes
}

func newServer(troubles ...trouble) *server {
	return &server{files: map[string][]byte{}, ended: map[string]bool{}, troubles: troubles}
}

func (s *server) next(name string) trouble {
	s.requests++
	if len(s.troubles) == 0 {
		return trouble{}
	}
	t := s.troubles[0]
	s.troubles = s.troubles[1:]
	if file := s.files[name]; t.shrink > 0 {
		s.files[name] = file[:max(0, len(file)-t.shrink)]
	}
	if file := s.files[name]; t.spoil && len(file) > 0 {
		file[len(file)/2] ^= 1
	}
	return t
}

func conflict(reason wire.Reason, length int) error {
	return &client.Error{Status: 409, Problem: wire.Problem{Error: string(reason), Reason: reason, Length: int64(length)}}
}

func (s *server) Append(_ context.Context, _, name string, offset int64, data []byte) (int64, error) {
	t := s.next(name)
	if t.before != nil {
		var refused *client.Error
		errors.As(t.before, &refused)
		return refused.Problem.Length, t.before
	}
	length := len(s.files[name])
	if s.ended[name] {
		return int64(length), conflict(wire.ReasonEnded, length)
	}
	if offset != int64(length) {
		return int64(length), conflict(wire.ReasonOffset, length)
	}
	s.files[name] = append(s.files[name], data...)
	if t.after != nil {
		return 0, t.after
	}
	return int64(len(s.files[name])), nil
}

func (s *server) NearlyFull() bool { return s.nearlyFull }

func (s *server) End(_ context.Context, _, name string, mark bundle.End) error {
	t := s.next(name)
	if t.before != nil {
		return t.before
	}
	file := s.files[name]
	sum := sha256.Sum256(file)
	if mark.Length != int64(len(file)) {
		return conflict(wire.ReasonOffset, len(file))
	}
	if mark.SHA256 != hex.EncodeToString(sum[:]) {
		s.files[name] = nil // for its writer to send it again
		return conflict(wire.ReasonDigest, 0)
	}
	s.ended[name] = true
	return t.after
}

func create(t *testing.T, contents ...string) []*File {
	t.Helper()
	dir := t.TempDir()
	var files []*File
	for i, content := range contents {
		f, err := Create(dir, fmt.Sprintf("file%d", i))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		if _, err := f.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

func TestEverythingArrivesOnceWhateverHappens(t *testing.T) {
	away := &client.Error{Status: 503}
	large := strings.Repeat("0123456789abcdef", chunkSize/10)
	for name, troubles := range map[string][]trouble{
		"no trouble":                     nil,
		"away":                           {{before: away}, {before: away}, {}, {before: away}},
		"answers lost":                   {{after: away}, {}, {}, {after: away}, {}, {after: away}},
		"a restart that loses bytes":     {{}, {shrink: 100}, {shrink: chunkSize}},
		"a restart that loses a file":    {{}, {}, {}, {shrink: 10 << 20}},
		"bytes lost before the end mark": {{}, {}, {}, {shrink: 5}},
		"a byte changed at the server":   {{}, {}, {}, {spoil: true}},
		"a byte changed twice":           {{}, {}, {}, {spoil: true}, {}, {}, {spoil: true}},
		"the answer to that lost":        {{}, {}, {}, {spoil: true, before: away}},
		"lost answers and lost bytes":    {{after: away}, {shrink: 7, after: away}, {before: away}, {shrink: 1, after: away}},
	} {
		t.Run(name, func(t *testing.T) {
			files := create(t, large, "short")
			s := newServer(troubles...)
			shipper := New(s, "uid", t.Logf, files...)
			if err := shipper.Finish(t.Context()); err != nil {
				t.Fatal(err)
			}
			if string(s.files["file0"]) != large || string(s.files["file1"]) != "short" {
				t.Errorf("the server has %d and %d bytes", len(s.files["file0"]), len(s.files["file1"]))
			}
			if !s.ended["file0"] || !s.ended["file1"] || shipper.Pending() != 0 {
				t.Errorf("ended: %v, pending %d", s.ended, shipper.Pending())
			}
		})
	}
}

func TestTailsAreShippedWhileTheFileGrows(t *testing.T) {
	f := create(t, "one ")[0]
	s := newServer()
	shipper := New(s, "uid", t.Logf, f)
	for _, more := range []string{"two ", "", "three"} {
		if err := shipper.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(more)); err != nil {
			t.Fatal(err)
		}
	}
	if got := string(s.files["file0"]); got != "one two " {
		t.Errorf("the server has %q", got)
	}
	if shipper.Pending() != int64(len("three")) || shipper.Shipped() != int64(len("one two ")) {
		t.Errorf("pending %d, shipped %d", shipper.Pending(), shipper.Shipped())
	}
	before := s.requests
	if err := shipper.Flush(t.Context()); err != nil || s.ended["file0"] {
		t.Errorf("flush: %v, ended %v", err, s.ended)
	}
	if err := shipper.Flush(t.Context()); err != nil || s.requests != before+1 {
		t.Errorf("with nothing new, %d requests were made", s.requests-before-1)
	}
}

func TestShippingEndsWhenTheServerRefusesForGood(t *testing.T) {
	for name, trouble := range map[string]trouble{
		"forbidden":        {before: &client.Error{Status: 403}},
		"no such run":      {before: &client.Error{Status: 404}},
		"another's writes": {before: conflict(wire.ReasonOffset, 99)},
		"reported already": {before: conflict(wire.ReasonReported, 0)},
	} {
		err := New(newServer(trouble), "uid", t.Logf, create(t, "short")...).Finish(t.Context())
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestShippingGivesUpWhenItsTimeIsOver(t *testing.T) {
	s := newServer()
	for range 1000 {
		s.troubles = append(s.troubles, trouble{before: &client.Error{Status: 503}})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	err := New(s, "uid", t.Logf, create(t, "short")...).Finish(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "5 bytes") {
		t.Errorf("error: %v", err)
	}
}

func TestAShipperHearsThatTheServerIsNearlyFull(t *testing.T) {
	s, f := newServer(), create(t, "one ")[0]
	shipper := New(s, "uid", t.Logf, f)
	full := func() bool {
		select {
		case <-shipper.Full():
			return true
		default:
			return false
		}
	}
	for _, nearly := range []bool{false, true, false, true} {
		s.nearlyFull = nearly
		if _, err := f.Write([]byte("more ")); err != nil {
			t.Fatal(err)
		}
		was := full()
		if err := shipper.Flush(t.Context()); err != nil || full() != (nearly || was) {
			t.Fatalf("nearly full %v: %v, %v", nearly, full(), err)
		}
	}
}

// What this pod has isn't what it wrote: to send it again would not end.
func TestAPodWhoseOwnBytesAreWrongSaysSo(t *testing.T) {
	f := create(t, "what was written")[0]
	if err := os.WriteFile(f.file.Name(), []byte("what was wr1tten"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := newServer()
	err := New(s, "uid", t.Logf, f).Finish(t.Context())
	if err == nil || !strings.Contains(err.Error(), "this pod's disk") {
		t.Errorf("error: %v", err)
	}
	if s.ended["file0"] {
		t.Error("the file has an end mark")
	}
}

func TestAFileOfAnEarlierRunIsNotContinued(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, "old"); err == nil || !strings.Contains(err.Error(), "has run before") {
		t.Errorf("error: %v", err)
	}
	if content, _ := os.ReadFile(filepath.Join(dir, "old")); !bytes.Equal(content, []byte("x")) {
		t.Errorf("the file was changed to %q", content)
	}
}
