package suites

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Name is whose suite the UID is.
func (s *Store) Name(uid string) (manifest.Name, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.suites[uid]
	if !ok {
		return manifest.Name{}, false
	}
	return k.of, true
}

// List has the suites of a namespace with a name that have a run, by UID, those that were changed last first. "" is any.
func (s *Store) List(namespace, name, run string) []wire.SuiteSummary {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*kept
	for _, k := range s.suites {
		if (namespace == "" || k.of.Namespace == namespace) && (name == "" || k.of.Name == name) && (run == "" || slices.Contains(k.runs, run)) {
			found = append(found, k)
		}
	}
	slices.SortFunc(found, func(a, b *kept) int { return cmp.Or(b.touched.Compare(a.touched), cmp.Compare(a.of.UID, b.of.UID)) })
	list := make([]wire.SuiteSummary, len(found))
	for i, k := range found {
		list[i] = wire.SuiteSummary{UID: k.of.UID, Namespace: k.of.Namespace, Name: k.of.Name, Combinations: k.combinations,
			Trials: k.trials, Valid: k.valid, Complete: k.complete}
	}
	return list
}

// Baselines are those of a namespace, by name.
func (s *Store) Baselines(namespace string) ([]wire.BaselineSummary, error) {
	list := []wire.BaselineSummary{}
	if !nameOfBaseline.MatchString(namespace) {
		return list, nil
	}
	dir := filepath.Join(s.dir, baselinesFolder, namespace)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range entries {
		name, is := strings.CutSuffix(entry.Name(), suffix)
		if !is || !nameOfBaseline.MatchString(name) {
			continue
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // somebody deleted it meanwhile
		}
		if err != nil {
			return nil, err
		}
		summary := wire.BaselineSummary{Name: name, KeptAtUnixNanos: info.ModTime().UnixNano()}
		document, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		if b, err := findings.ReadBaseline(document); err == nil { // one of another version has its name alone
			summary.Suite, summary.Combinations = b.Suite.Name, len(b.Combinations)
		}
		list = append(list, summary)
	}
	return list, nil
}

// DeleteBaseline forgets a baseline. Its error is ErrNoBaseline where there is none. Suites that are compared with it have a copy.
func (s *Store) DeleteBaseline(namespace, name string) error {
	if !nameOfBaseline.MatchString(namespace) || !nameOfBaseline.MatchString(name) {
		return ErrNoBaseline
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := os.Remove(filepath.Join(s.dir, baselinesFolder, namespace, name+suffix))
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNoBaseline
	}
	return err
}
