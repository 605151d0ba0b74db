package suites

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"

	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Adopt says what a suite takes over from an earlier one of the same name, and keeps the manifest with it. Of several earlier
// ones it is the one that was told of last, of those with runs that can be taken over. A suite that is known already has the
// answer that it had. fingerprintOf gives that of a run's plan, by the run's UID; "" if
// its report isn't kept. Its errors are those of Put, and fingerprintOf's.
func (s *Store) Adopt(m *manifest.Manifest, fingerprints []string, fingerprintOf func(uid string) (string, error)) (*manifest.Adoption, error) {
	known, err := s.Manifest(m.Suite.UID)
	if err == nil && known.Adoption != nil {
		return known.Adoption, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	m.Adoption = &manifest.Adoption{}
	for _, uid := range s.predecessors(m.Suite) {
		earlier, err := s.Manifest(uid)
		if err != nil { // it was forgotten, or damaged
			continue
		}
		a, err := adoptionOf(earlier, m, fingerprints, fingerprintOf)
		if err != nil {
			return nil, err
		}
		if len(a.Trials) > 0 {
			m.Adoption = a
			break
		}
	}
	document, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("writing the manifest: %w", err)
	}
	return m.Adoption, s.Put(m.Suite.UID, document)
}

// predecessors are the other suites of the same name, by UID, the one that was told of last first.
func (s *Store) predecessors(of manifest.Name) (uids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for uid, k := range s.suites {
		if uid != of.UID && k.of.Namespace == of.Namespace && k.of.Name == of.Name {
			uids = append(uids, uid)
		}
	}
	slices.SortFunc(uids, func(a, b string) int { return s.suites[b].touched.Compare(s.suites[a].touched) })
	return uids
}

// adoptionOf finds the trials of the earlier suite whose runs measured what a combination of the new one is to measure. Each
// stays in its block, and is taken once.
func adoptionOf(earlier, m *manifest.Manifest, fingerprints []string, fingerprintOf func(uid string) (string, error)) (*manifest.Adoption, error) {
	a := &manifest.Adoption{Suite: earlier.Suite.UID, Seed: earlier.Seed}
	a.Changed = !reflect.DeepEqual(earlier.Compare, m.Compare) || !reflect.DeepEqual(earlier.Objectives, m.Objectives)
	measured, err := fingerprintsOf(earlier, fingerprintOf)
	if err != nil {
		return nil, err
	}
	free := map[place][]int{} // combinations without a trial
	for combination, fingerprint := range fingerprints {
		if fingerprint == "" {
			continue
		}
		for block := range earlier.Blocks {
			at := place{block, fingerprint}
			free[at] = append(free[at], combination)
		}
	}
	for i, trial := range earlier.Trials {
		at := place{trial.Block, measured[i]}
		if len(free[at]) == 0 {
			continue
		}
		taken := manifest.Trial{Block: trial.Block, Combination: free[at][0]}
		free[at] = free[at][1:]
		for _, attempt := range trial.Attempts {
			attempt.Adopted = true
			taken.Attempts = append(taken.Attempts, attempt)
		}
		a.Trials = append(a.Trials, taken)
	}
	return a, nil
}

// place is what was measured in a block.
type place struct {
	block       int
	fingerprint string
}

// fingerprintsOf are those of the trials' plans; "" for a trial that has not ended, and where nobody knows. A run that failed
// has no report. It has the plan of the other trials of its combination, if all of these have one. So nobody gets rid of a
// failure by applying the suite again.
func fingerprintsOf(m *manifest.Manifest, fingerprintOf func(uid string) (string, error)) ([]string, error) {
	all := make([]string, len(m.Trials))
	common := make([]map[string]bool, len(m.Combinations))
	for i, trial := range m.Trials {
		if common[trial.Combination] == nil {
			common[trial.Combination] = map[string]bool{}
		}
		for _, attempt := range trial.Attempts {
			fingerprint, err := fingerprintOf(attempt.UID)
			if err != nil {
				return nil, fmt.Errorf("run %s: %w", attempt.Run, err)
			}
			if all[i] = fingerprint; fingerprint != "" {
				common[trial.Combination][fingerprint] = true
			}
		}
	}
	for i, trial := range m.Trials {
		n := len(trial.Attempts)
		if n == 0 || all[i] != "" || trial.Attempts[n-1].Outcome != manifest.Failed || len(common[trial.Combination]) != 1 {
			continue
		}
		for only := range common[trial.Combination] {
			all[i] = only
		}
	}
	return all, nil
}
