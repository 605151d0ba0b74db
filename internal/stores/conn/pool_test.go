package conn

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestAPoolLeavesAMemberThatIsAskedNoMore(t *testing.T) {
	old, other := startEcho(t, "127.0.0.1:0"), startEcho(t, "127.0.0.1:0")
	counts := &Counts{}
	p := NewPool(dialer, counts, 2, 4)
	defer p.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := p.Await(ctx, old.address()); err != nil {
		t.Fatal(err)
	}
	yes, no := func() bool { return true }, func() bool { return false }
	first := p.Only(old.address(), yes)
	release := old.hold()
	done := make(chan error)
	go func() {
		_, err := first.Do(&number{value: 1}, NewTurn(), within(time.Minute))
		done <- err
	}()
	eventually(t, "an operation is under way", func() bool {
		first.mu.Lock()
		defer first.mu.Unlock()
		return len(first.members[0].lines) == 2 && first.members[0].lines[0].load+first.members[0].lines[1].load == 1
	})
	if p.Only(other.address(), no) != nil {
		t.Error("it turned to a member that is named no more")
	}
	second := p.Only(other.address(), yes)
	if _, err := second.Do(&number{value: 2}, NewTurn(), within(time.Minute)); err != nil {
		t.Errorf("the other member: %v", err)
	}
	if _, err := first.Do(&number{value: 3}, NewTurn(), within(time.Minute)); !errors.Is(err, ErrOver) {
		t.Errorf("the old member: %v", err)
	}
	release()
	if err := <-done; err != nil {
		t.Errorf("what was under way: %v", err)
	}
	eventually(t, "nobody is connected to the old member", func() bool { open, _, _ := old.counts(); return open == 0 })
	if p.Places() != 2*2*4 {
		t.Errorf("%d places", p.Places())
	}
}
