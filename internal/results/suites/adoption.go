package suites

import (
	"cmp"
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
// answer that it had. seed is that of the suite's spec; nil if it has none. fingerprintOf gives that of what an attempt
// measured, by its run's plan; "" if its report isn't kept. Its errors are those of Put, and fingerprintOf's.
func (s *Store) Adopt(m *manifest.Manifest, fingerprints []string, seed *uint64, fingerprintOf func(*manifest.Attempt) (string, error)) (*manifest.Adoption, error) {
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
		// It may be forgotten, or damaged. With another seed, the runs of a block would send other operations.
		if err != nil || seed != nil && *seed != earlier.Seed || len(fingerprints) == 0 || earlier.Reuse != m.Reuse {
			continue
		}
		a, err := adoptionOf(earlier, m, fingerprints, fingerprintOf)
		if err != nil {
			return nil, err
		}
		if len(a.Trials) > 0 {
			m.Adoption = a
			if a.Baselines, err = s.inherit(uid, m); err != nil {
				return nil, err
			}
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
// stays in its block.
func adoptionOf(earlier, m *manifest.Manifest, fingerprints []string, fingerprintOf func(*manifest.Attempt) (string, error)) (*manifest.Adoption, error) {
	a := &manifest.Adoption{Suite: earlier.Suite.UID, Seed: earlier.Seed, Changed: asksElse(earlier, m)}
	measured, err := fingerprintsOf(earlier, fingerprintOf)
	if err != nil {
		return nil, err
	}
	taken := map[[2]int]bool{} // by block and combination
	for i, trial := range earlier.Trials {
		combination := counterpart(earlier, m, trial.Combination, measured[i], fingerprints)
		place := [2]int{trial.Block, combination}
		if combination < 0 || taken[place] {
			continue
		}
		taken[place] = true
		adopted := manifest.Trial{Block: trial.Block, Combination: combination}
		for _, attempt := range trial.Attempts {
			attempt.Adopted = true
			adopted.Attempts = append(adopted.Attempts, attempt)
		}
		a.Trials = append(a.Trials, adopted)
	}
	return a, nil
}

// asksElse says that the new suite asks another question than the earlier one, or of another number of trials. Whoever wrote it
// may have known the figures. So may whoever wrote the earlier one, if that took over runs in this way.
func asksElse(earlier, m *manifest.Manifest) bool {
	trials := reflect.DeepEqual(earlier.Until, m.Until) && earlier.Confidence == cmp.Or(m.Confidence, manifest.Confidence)
	if m.Until == nil {
		trials = trials && earlier.Blocks == m.Blocks
	}
	compared, asked := earlier.Compare, m.Compare
	compared.Growth, asked.Growth = "", "" // which decides nothing
	return !trials || earlier.Adoption != nil && earlier.Adoption.Changed ||
		!reflect.DeepEqual(compared, asked) || !reflect.DeepEqual(earlier.Objectives, m.Objectives)
}

// counterpart is the new suite's combination that has such a plan: the one with the labels of the earlier suite's, or the only
// one. It is -1 where there is none. Two combinations have one plan where they differ in the seed or in credentials alone.
func counterpart(earlier, m *manifest.Manifest, combination int, fingerprint string, fingerprints []string) int {
	if fingerprint == "" {
		return -1
	}
	found, same := -1, 0
	for i, other := range fingerprints {
		if other != fingerprint {
			continue
		}
		if slices.Equal(m.Combinations[i], earlier.Combinations[combination]) {
			return i
		}
		found = i
		same++
	}
	if same != 1 || slices.ContainsFunc(earlier.Combinations, func(labels []manifest.Label) bool { return slices.Equal(labels, m.Combinations[found]) }) {
		return -1
	}
	return found
}

// fingerprintsOf are those of the trials' plans; "" for a trial that has not ended, and where nobody knows. A run that failed
// has no report, and that of one that isn't valid may be gone. Such a trial has the plan of the other trials of its combination,
// if all of these have one. So nobody gets rid of it by applying the suite again.
func fingerprintsOf(m *manifest.Manifest, fingerprintOf func(*manifest.Attempt) (string, error)) ([]string, error) {
	all := make([]string, len(m.Trials))
	common := make([]map[string]bool, len(m.Combinations))
	for i, trial := range m.Trials {
		if common[trial.Combination] == nil {
			common[trial.Combination] = map[string]bool{}
		}
		for j := range trial.Attempts {
			fingerprint, err := fingerprintOf(&trial.Attempts[j])
			if err != nil {
				return nil, fmt.Errorf("run %s: %w", trial.Attempts[j].Run, err)
			}
			if all[i] = fingerprint; fingerprint != "" {
				common[trial.Combination][fingerprint] = true
			}
		}
	}
	for i, trial := range m.Trials {
		n := len(trial.Attempts)
		if n == 0 || all[i] != "" || trial.Attempts[n-1].Outcome == manifest.Valid || len(common[trial.Combination]) != 1 {
			continue
		}
		for only := range common[trial.Combination] {
			all[i] = only
		}
	}
	return all, nil
}
