package suites

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/kvbench/kvbench/internal/suite/findings"
)

const (
	// MaxBaselineBytes bounds a baseline, which has some kilobytes for each combination.
	MaxBaselineBytes = 2 << 20
	// MaxBaselines bounds those that are kept, of all namespaces and of one.
	MaxBaselines            = 1000
	MaxBaselinesOfNamespace = 50

	baselinesFolder = "baselines" // with a folder for each namespace
)

// Errors of baselines.
var (
	ErrNoBaseline    = errors.New("no suite has kept its figures under that name")
	ErrFullBaselines = fmt.Errorf("%d baselines of the namespace are kept, or %d of all, and no more can be: keep it under a name that is there already", MaxBaselinesOfNamespace, MaxBaselines)
)

// nameOfBaseline is one that can be the name of a file. Namespaces have such names as well.
var nameOfBaseline = regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]{0,61}[a-z0-9])?$`)

// KeepBaseline keeps what a suite found, in the place of what had that name.
func (s *Store) KeepBaseline(namespace, name string, b *findings.Baseline) error {
	document, err := b.JSON()
	if err != nil {
		return err
	}
	if !nameOfBaseline.MatchString(namespace) || !nameOfBaseline.MatchString(name) {
		return fmt.Errorf("%s/%s can't be the name of a baseline", namespace, name)
	}
	if len(document) > MaxBaselineBytes {
		return fmt.Errorf("the baseline has %d bytes, and can have %d", len(document), MaxBaselineBytes)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	dir := filepath.Join(s.dir, baselinesFolder, namespace)
	if _, err := os.Stat(filepath.Join(dir, name+suffix)); errors.Is(err, fs.ErrNotExist) {
		kept, err := filepath.Glob(filepath.Join(s.dir, baselinesFolder, "*", "*"+suffix))
		if err != nil {
			return err
		}
		ofNamespace := slices.DeleteFunc(slices.Clone(kept), func(file string) bool { return filepath.Dir(file) != dir })
		if len(kept) >= MaxBaselines || len(ofNamespace) >= MaxBaselinesOfNamespace {
			return ErrFullBaselines
		}
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return &DiskError{err}
	}
	if err := s.replace(dir, name+suffix, bytes.NewReader(document)); err != nil {
		return &DiskError{err}
	}
	return nil
}

// Baseline is what was kept under that name. Its error is ErrNoBaseline where nothing was.
func (s *Store) Baseline(namespace, name string) ([]byte, error) {
	if !nameOfBaseline.MatchString(namespace) || !nameOfBaseline.MatchString(name) {
		return nil, ErrNoBaseline
	}
	document, err := os.ReadFile(filepath.Join(s.dir, baselinesFolder, namespace, name+suffix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoBaseline
	}
	return document, err
}
