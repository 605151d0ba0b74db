// Package suites keeps the manifests of suites, and answers with their reports. A report is computed anew for each request,
// from the manifest and the reports of the runs, so it is never older than these.
package suites

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Limits of what is kept.
const (
	// MaxManifestBytes bounds a manifest: 10,000 trials with three attempts each have 6 MB.
	MaxManifestBytes = 64 << 20
	// MaxSuites bounds the suites.
	MaxSuites = 1000
	// wantedFor is how long the runs of a suite that isn't complete are kept after its last change: it may be suspended, or
	// deleted without a word.
	wantedFor = 30 * 24 * time.Hour
	// settledFor is how long the runs of a complete suite are kept: the controller asks for its verdict.
	settledFor = time.Hour
)

// ErrFull says that there are as many suites as may be, and all of them are under way.
var ErrFull = fmt.Errorf("%d suites are kept, and all of them are under way", MaxSuites)

// suffix of a manifest's file; the rest is the suite's UID.
const suffix = ".json"

// Store keeps one file for each suite in a folder. It is safe for concurrent use.
type Store struct {
	dir     string
	replace func(dir, name string, content io.Reader) error // whole and durable
	now     func() time.Time

	pinning sync.Mutex // is held before mu

	mu     sync.Mutex
	suites map[string]*kept // by UID
}

// kept is what is remembered of a suite.
type kept struct {
	of       manifest.Name
	touched  time.Time
	complete bool
	runs     []string // with valid numbers, by UID

	combinations, trials, valid int
}

// wantsRuns says that the runs of the suite are still needed: it isn't complete, or hardly.
func (k *kept) wantsRuns(now time.Time) bool {
	return k.wants(now) || k.complete && now.Sub(k.touched) <= settledFor
}

// wants says that the suite still needs its runs.
func (k *kept) wants(now time.Time) bool { return !k.complete && now.Sub(k.touched) <= wantedFor }

// Open reads the folder, and makes it if it isn't there. What can't be read is left as it is, and not served.
func Open(dir string, replace func(dir, name string, content io.Reader) error, now func() time.Time, log *slog.Logger) (*Store, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, replace: replace, now: now, suites: map[string]*kept{}}
	for _, entry := range entries {
		uid, is := strings.CutSuffix(entry.Name(), suffix)
		if !is || strings.HasPrefix(uid, ".") {
			continue
		}
		m, err := s.Manifest(uid)
		if err != nil {
			log.Error("a suite's manifest can't be read; it is left as it is and not served", "suite", uid, "error", err)
			continue
		}
		info, err := entry.Info()
		if err != nil {
			return nil, err
		}
		touched := info.ModTime()
		if now := now(); touched.After(now) { // a killed process left it with the machine's time
			touched = now
		}
		s.suites[uid] = keep(m, touched)
	}
	return s, nil
}

func keep(m *manifest.Manifest, touched time.Time) *kept {
	k := &kept{of: m.Suite, touched: touched, complete: m.Complete, combinations: len(m.Combinations), trials: len(m.Trials)}
	for _, trial := range m.Trials {
		if n := len(trial.Attempts); n > 0 && trial.Attempts[n-1].Outcome == manifest.Valid {
			k.runs = append(k.runs, trial.Attempts[n-1].UID)
			k.valid++
		}
	}
	if m.Search != nil {
		for i := range m.Search.Found {
			for _, tried := range m.Search.Found[i].Tried {
				if tried.UID != "" {
					k.runs = append(k.runs, tried.UID)
				}
			}
		}
	}
	return k
}

// Put keeps a suite's manifest in the place of an earlier one. Its error is ErrFull, a manifest's, or the disk's.
func (s *Store) Put(uid string, document []byte) error {
	m, err := manifest.Read(document)
	if err != nil {
		return err
	}
	if m.Suite.UID != uid {
		return fmt.Errorf("the manifest is of the suite %q", m.Suite.UID)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// A restarted controller tells of all suites again, which makes none of them younger that is complete.
	if held, err := os.ReadFile(s.path(uid)); err == nil && m.Complete && bytes.Equal(held, document) {
		return nil
	}
	if s.suites[uid] == nil && len(s.suites) >= MaxSuites {
		if err := s.makeRoom(); err != nil {
			return err
		}
	}
	touched := s.now()
	if err := s.replace(s.dir, uid+suffix, bytes.NewReader(document)); err != nil {
		return &DiskError{err}
	}
	if err := os.Chtimes(s.path(uid), time.Time{}, touched); err != nil {
		return &DiskError{err}
	}
	s.suites[uid] = keep(m, touched)
	return nil
}

// DiskError is a failure to write.
type DiskError struct{ err error }

func (e *DiskError) Error() string { return e.err.Error() }
func (e *DiskError) Unwrap() error { return e.err }

// makeRoom forgets the suite that was changed the longest ago, of those that don't need their runs any more. The caller holds mu.
func (s *Store) makeRoom() error {
	oldest := ""
	for uid, k := range s.suites {
		if !k.wants(s.now()) && (oldest == "" || k.touched.Before(s.suites[oldest].touched)) {
			oldest = uid
		}
	}
	if oldest == "" {
		return ErrFull
	}
	return s.forget(oldest)
}

func (s *Store) forget(uid string) error {
	if err := os.Remove(s.path(uid)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &DiskError{err}
	}
	delete(s.suites, uid)
	return nil
}

// Manifest reads a suite's manifest. Its error is fs.ErrNotExist where there is none.
func (s *Store) Manifest(uid string) (*manifest.Manifest, error) {
	document, err := os.ReadFile(s.path(uid))
	if err != nil {
		return nil, err
	}
	return manifest.Read(document)
}

// path of a manifest; the UID has been checked.
func (s *Store) path(uid string) string { return filepath.Join(s.dir, uid+suffix) }

// Wanted are the runs, by UID, that suites which aren't complete still need: those of the suite that was changed last first.
func (s *Store) Wanted() (runs []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var wanting []*kept
	for _, k := range s.suites {
		if k.wantsRuns(s.now()) {
			wanting = append(wanting, k)
		}
	}
	slices.SortFunc(wanting, func(a, b *kept) int { return b.touched.Compare(a.touched) })
	for _, k := range wanting {
		runs = append(runs, k.runs...)
	}
	return runs
}

// Sweep forgets the suites that were changed longer than age ago; 0 is no bound. One that isn't complete stays as long as its
// runs do.
func (s *Store) Sweep(age time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all error
	for uid, k := range s.suites {
		silent := s.now().Sub(k.touched)
		if age > 0 && silent > age && !k.wants(s.now()) {
			all = errors.Join(all, s.forget(uid))
		}
	}
	return errors.Join(all, s.sweepPinned())
}
