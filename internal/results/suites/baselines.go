package suites

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite/findings"
)

const (
	// MaxBaselineBytes bounds a baseline, which has some kilobytes for each combination.
	MaxBaselineBytes = 16 << 20
	// MaxBaselines bounds those that are kept.
	MaxBaselines = 1000

	baselinesFolder = "baselines" // with a folder for each namespace
	pinnedSuffix    = ".baselines"
)

// Errors of baselines.
var (
	ErrNoBaseline    = errors.New("no suite has kept its figures under that name")
	ErrFullBaselines = fmt.Errorf("%d baselines are kept, and no more can be", MaxBaselines)
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
		if len(kept) >= MaxBaselines {
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

// Pin keeps the baselines that a suite is compared with, by the names that its objectives give them. A suite has the first ones
// that were pinned: who replaces a baseline changes no verdict. Those without a document are kept ones of the namespace.
func (s *Store) Pin(uid, namespace string, documents map[string][]byte) (map[string]*findings.Baseline, error) {
	if pinned, err := s.Pinned(uid); err != nil || len(pinned) > 0 {
		return pinned, err
	}
	pinned := make(map[string]json.RawMessage, len(documents))
	for name, document := range documents {
		if len(document) == 0 {
			kept, err := s.Baseline(namespace, name)
			if errors.Is(err, ErrNoBaseline) {
				return nil, fmt.Errorf("the baseline %s: %w in the namespace %s", name, err, namespace)
			}
			if err != nil {
				return nil, &DiskError{err}
			}
			document = kept
		}
		if _, err := findings.ReadBaseline(document); err != nil {
			return nil, fmt.Errorf("the baseline %s: %w", name, err)
		}
		pinned[name] = document
	}
	file, err := json.Marshal(pinned)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	err = s.replace(s.dir, uid+pinnedSuffix, bytes.NewReader(file))
	s.mu.Unlock()
	if err != nil {
		return nil, &DiskError{err}
	}
	return s.Pinned(uid)
}

// Pinned are the baselines that a suite is compared with; none if it isn't compared with any.
func (s *Store) Pinned(uid string) (map[string]*findings.Baseline, error) {
	file, err := os.ReadFile(s.pinnedPath(uid))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var documents map[string]json.RawMessage
	if err := json.Unmarshal(file, &documents); err != nil {
		return nil, fmt.Errorf("reading the baselines of the suite %s: %w", uid, err)
	}
	pinned := make(map[string]*findings.Baseline, len(documents))
	for name, document := range documents {
		if pinned[name], err = findings.ReadBaseline(document); err != nil {
			return nil, fmt.Errorf("the baseline %s: %w", name, err)
		}
	}
	return pinned, nil
}

func (s *Store) pinnedPath(uid string) string { return filepath.Join(s.dir, uid+pinnedSuffix) }

// sweepPinned removes the baselines of suites that are not known, since their manifests were forgotten, or never came.
func (s *Store) sweepPinned() (all error) {
	files, err := filepath.Glob(filepath.Join(s.dir, "*"+pinnedSuffix))
	if err != nil {
		return err
	}
	for _, file := range files {
		info, err := os.Stat(file)
		uid := strings.TrimSuffix(filepath.Base(file), pinnedSuffix)
		if err == nil && s.suites[uid] == nil && s.now().Sub(info.ModTime()) > settledFor {
			all = errors.Join(all, os.Remove(file))
		}
	}
	return all
}

// PinnedAnswer says which combinations a suite's baselines have.
func PinnedAnswer(pinned map[string]*findings.Baseline) wire.Pinned {
	answer := wire.Pinned{Baselines: map[string]wire.PinnedBaseline{}}
	for name, b := range pinned {
		made := wire.PinnedBaseline{Combinations: [][]string{}}
		for _, combination := range b.Combinations {
			labels := []string{}
			for _, label := range combination.Labels {
				labels = append(labels, label.String())
			}
			made.Combinations = append(made.Combinations, labels)
		}
		answer.Baselines[name] = made
	}
	return answer
}
