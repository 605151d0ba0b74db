package etcd

import (
	"fmt"
	"testing"
	"time"
)

func TestAMemberThatIsAnotherOneIsTold(t *testing.T) {
	o := &observer{}
	told := func() string {
		did, err := o.Repair(t.Context(), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		return did
	}
	for _, id := range []uint64{10, 10, 11, 11, 12} {
		o.identities.note("e-0", id)
		o.identities.note("e-1", 5)
	}
	first, second := told(), told()
	if first != "e-0 was taken in anew as member b; it was member a; e-0 was taken in anew as member c; it was member b" || second != "" {
		t.Errorf("%q, %q", first, second)
	}
	for id := range uint64(1000) {
		o.identities.note("e-0", id)
	}
	if n := len(o.identities.rejoined); n != maxRejoined {
		t.Errorf("%d are kept", n)
	}
}

func TestWhatIsToldIsShort(t *testing.T) {
	var s identities
	name := fmt.Sprintf("%0259d", 0)
	s.note(name, 1<<63)
	s.note(name, 1<<63+1)
	if did := s.take(); len(did) > 512 {
		t.Errorf("%d bytes", len(did))
	}
}
