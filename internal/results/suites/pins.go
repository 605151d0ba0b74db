package suites

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// pinnedSuffix of the file with the baselines that a suite is compared with; the rest is the suite's UID.
const pinnedSuffix = ".baselines"

// Pin keeps the baselines that a suite is compared with, by the names that its objectives give them, and returns all that it
// has. What has a name already stays: who replaces a baseline changes no verdict.
func (s *Store) Pin(uid, namespace string, asked map[string]wire.BaselineAsk) (wire.Pinned, error) {
	s.pinning.Lock()
	defer s.pinning.Unlock()
	pinned, err := s.pinnedDocuments(uid)
	if err != nil {
		return wire.Pinned{}, err
	}
	added := false
	for name, ask := range asked {
		if _, has := pinned[name]; has {
			continue
		}
		document := ask.Document
		if ask.Kept {
			document, err = s.Baseline(namespace, name)
			switch {
			case errors.Is(err, ErrNoBaseline):
				return wire.Pinned{}, fmt.Errorf("the baseline %s: %w in the namespace %s", name, err, namespace)
			case err != nil:
				return wire.Pinned{}, &DiskError{err}
			}
		}
		if len(document) > MaxBaselineBytes {
			return wire.Pinned{}, fmt.Errorf("the baseline %s has %d bytes, and can have %d", name, len(document), MaxBaselineBytes)
		}
		if _, err := findings.ReadBaseline(document); err != nil {
			return wire.Pinned{}, fmt.Errorf("the baseline %s: %w", name, err)
		}
		pinned[name], added = document, true
	}
	if added {
		if err := s.writePinned(uid, pinned); err != nil {
			return wire.Pinned{}, err
		}
		// As the file has them, which writes some characters in another way.
		if pinned, err = s.pinnedDocuments(uid); err != nil {
			return wire.Pinned{}, err
		}
	}
	return pinnedAnswer(pinned)
}

// inherit gives a suite the baselines of the one whose runs it takes over, as they were for that one: those that its objectives
// name. It returns their names.
func (s *Store) inherit(from string, to *manifest.Manifest) (names []string, err error) {
	s.pinning.Lock()
	defer s.pinning.Unlock()
	earlier, err := s.pinnedDocuments(from)
	if err != nil {
		return nil, err
	}
	taken := map[string]json.RawMessage{}
	for _, o := range to.Objectives {
		if document, has := earlier[o.Against]; has && o.Against != "" {
			taken[o.Against] = document
		}
	}
	if len(taken) == 0 {
		return nil, nil
	}
	return slices.Sorted(maps.Keys(taken)), s.writePinned(to.Suite.UID, taken)
}

func (s *Store) writePinned(uid string, pinned map[string]json.RawMessage) error {
	file, err := json.Marshal(pinned)
	if err != nil {
		return err
	}
	if err := s.replace(s.dir, uid+pinnedSuffix, bytes.NewReader(file)); err != nil {
		return &DiskError{err}
	}
	return nil
}

// Pinned are the baselines that a suite is compared with; none if it isn't compared with any.
func (s *Store) Pinned(uid string) (map[string]*findings.Baseline, error) {
	documents, err := s.pinnedDocuments(uid)
	if err != nil {
		return nil, err
	}
	pinned := make(map[string]*findings.Baseline, len(documents))
	for name, document := range documents {
		if pinned[name], err = findings.ReadBaseline(document); err != nil {
			return nil, fmt.Errorf("the baseline %s: %w", name, err)
		}
	}
	return pinned, nil
}

func (s *Store) pinnedDocuments(uid string) (map[string]json.RawMessage, error) {
	documents := map[string]json.RawMessage{}
	file, err := os.ReadFile(s.pinnedPath(uid))
	if errors.Is(err, fs.ErrNotExist) {
		return documents, nil
	}
	if err != nil {
		return nil, &DiskError{err}
	}
	if err := json.Unmarshal(file, &documents); err != nil {
		return nil, fmt.Errorf("reading the baselines of the suite %s: %w", uid, err)
	}
	return documents, nil
}

func (s *Store) pinnedPath(uid string) string { return filepath.Join(s.dir, uid+pinnedSuffix) }

// sweepPinned removes the baselines of suites whose manifests were forgotten, or never came. The caller holds mu.
func (s *Store) sweepPinned() (all error) {
	files, err := filepath.Glob(filepath.Join(s.dir, "*"+pinnedSuffix))
	if err != nil {
		return err
	}
	for _, file := range files {
		info, err := os.Stat(file)
		_, known := os.Stat(strings.TrimSuffix(file, pinnedSuffix) + suffix)
		if err == nil && errors.Is(known, fs.ErrNotExist) && s.now().Sub(info.ModTime()) > wantedFor {
			all = errors.Join(all, os.Remove(file))
		}
	}
	return all
}

// pinnedAnswer says what a suite's baselines are, and which combinations they have.
func pinnedAnswer(pinned map[string]json.RawMessage) (wire.Pinned, error) {
	answer := wire.Pinned{Baselines: map[string]wire.PinnedBaseline{}}
	for name, document := range pinned {
		b, err := findings.ReadBaseline(document)
		if err != nil {
			return answer, fmt.Errorf("the baseline %s: %w", name, err)
		}
		sum := sha256.Sum256(document)
		made := wire.PinnedBaseline{SHA256: hex.EncodeToString(sum[:]), Combinations: [][]string{}}
		for _, combination := range b.Combinations {
			labels := []string{}
			for _, label := range combination.Labels {
				labels = append(labels, label.String())
			}
			made.Combinations = append(made.Combinations, labels)
		}
		answer.Baselines[name] = made
	}
	return answer, nil
}
