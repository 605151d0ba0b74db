package etcd

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/stores"
)

// maxRejoined bounds what waits for being told.
const maxRejoined = 8

// identities sees members that are taken in as another one. The zero value is ready.
type identities struct {
	newest   map[string]uint64 // member ID by name
	rejoined []string          // what was not told yet
}

func (s *identities) note(name string, id uint64) {
	if s.newest == nil {
		s.newest = map[string]uint64{}
	}
	if before, seen := s.newest[name]; seen && before != id && len(s.rejoined) < maxRejoined {
		s.rejoined = append(s.rejoined, fmt.Sprintf("%s was taken in anew as member %x; it was member %x", name, id, before))
	}
	s.newest[name] = id
}

// take is what was not told yet; "" is nothing.
func (s *identities) take() string {
	told := stores.CutError(strings.Join(s.rejoined, "; "))
	s.rejoined = nil
	return told
}
