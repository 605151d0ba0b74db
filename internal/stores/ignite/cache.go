package ignite

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// persistentSuffix ends the names of the modes whose members have their data on disks.
const persistentSuffix = "-persistent"

// prefixOf begins the names of a mode's caches. Members make a cache by the template that fits its
// name, and there is one for each atomicity mode; where a member keeps its data is its own matter.
func prefixOf(mode string) string { return strings.TrimSuffix(mode, persistentSuffix) + "-" }

func atomicityOf(mode string) int32 {
	if strings.TrimSuffix(mode, persistentSuffix) == ModeTransactional {
		return atomicityTransactional
	}
	return atomicityAtomic
}

// open sees to it that the members have the table's cache.
func (s *session) open(name string, deadline time.Time) error {
	if s.table == nil || s.table.name != name {
		s.table = s.affinity.table(name)
	}
	if s.table.made.Load() {
		return nil
	}
	wait := time.NewTimer(time.Until(deadline))
	defer wait.Stop()
	select {
	case s.table.making <- struct{}{}: // one session makes it, for all
	case <-wait.C:
		return context.DeadlineExceeded
	}
	defer func() { <-s.table.making }()
	if s.table.made.Load() {
		return nil
	}
	member, err := s.anyone(0, deadline)
	if err != nil {
		return err
	}
	if err := s.makeCache(s.links[member]); err != nil {
		return fmt.Errorf("make the cache %s: %w", s.table.cache, err)
	}
	s.table.made.Store(true)
	s.affinity.look()
	return nil
}

// makeCache makes the cache, where there is none, and looks whether it is as the mode says. A member
// that is asked for one before it has finished its start ends: "Failed to execute affinity operation
// on cache groups".
func (s *session) makeCache(l *link) (err error) {
	defer func() {
		if err != nil {
			l.PutOff()
		}
	}()
	if err := l.serves(); err != nil {
		return err
	}
	s.request.out = s.request.out[:0]
	appendGetOrCreate(&s.request, l.number(), s.table.cache)
	if _, err := l.exchange(s.request.out); err != nil {
		return err
	}
	s.request.out = s.request.out[:0]
	appendConfiguration(&s.request, l.number(), s.table.id)
	m, err := l.exchange(s.request.out)
	if err != nil {
		return err
	}
	made, err := decodeConfiguration(m.body)
	if err != nil {
		return err
	}
	if made.atomicity != atomicityOf(s.mode) || !made.queried {
		return fmt.Errorf("it is not of the mode %s: give the members a template %s* as in charts/stores/ignite", s.mode, prefixOf(s.mode))
	}
	return nil
}
