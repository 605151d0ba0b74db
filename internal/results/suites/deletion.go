package suites

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Errors of a deletion.
var (
	ErrNoSuite  = errors.New("there is no such suite")
	ErrUnderWay = errors.New("the suite is not complete")
)

// Needing are the suites that aren't complete and that a run is a trial of. Unlike Wanted it is asked for by whoever wants to delete
// the run: a suite that is complete has its answer, and no age protects a run from its owner.
func (s *Store) Needing(run string) (needing []manifest.Name) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.suites {
		if k.wants(s.now()) && slices.Contains(k.runs, run) {
			needing = append(needing, k.of)
		}
	}
	slices.SortFunc(needing, func(a, b manifest.Name) int { return cmp.Compare(a.UID, b.UID) })
	return needing
}

// Delete forgets a suite, and what it was compared with. Its runs stay, and it holds none of them any more. over says that its
// resource is gone, so that it can't be under way. Its error is ErrNoSuite, ErrUnderWay, or the disk's.
func (s *Store) Delete(uid string, over bool) error {
	s.pinning.Lock()
	defer s.pinning.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.suites[uid]
	switch {
	case k == nil:
		return ErrNoSuite
	case !over && k.wants(s.now()):
		return ErrUnderWay
	}
	if err := s.forget(uid); err != nil {
		return err
	}
	if err := os.Remove(s.pinnedPath(uid)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &DiskError{err}
	}
	return nil
}
