package cassandra

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kvbench/kvbench/internal/stores/conn"
)

func TestAMemberHasAsManyOperationsAsItsConnectionsCarry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBound(2)
		hosts := []string{"a", "b"}
		var taken []place
		for range 2 * conn.Depth {
			p, waited := b.take(hosts)
			if p.host != "a" || waited > 0 {
				t.Fatalf("%v after %v", p, waited)
			}
			taken = append(taken, p)
		}
		if p, waited := b.take(hosts); p.host != "b" || waited > 0 {
			t.Errorf("beside a member that is full: %v after %v", p, waited)
		}
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				p, waited := b.take(hosts[:1])
				if waited != 50*time.Millisecond {
					t.Errorf("it waited %v", waited)
				}
				b.give(p, true)
			})
		}
		time.Sleep(50 * time.Millisecond)
		for _, p := range taken {
			b.give(p, true)
		}
		all.Wait()
		if left := b.of("a").count; left != 0 {
			t.Errorf("%d operations are under way", left)
		}
	})
}

func TestASilentMemberIsAskedAfterTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBound(1)
		hosts := []string{"silent", "well"}
		var asked []string
		var unanswered place
		for range 4 {
			p, _ := b.take(hosts)
			asked = append(asked, p.host)
			if p.host == "silent" {
				unanswered = p
			} else {
				b.give(p, true)
			}
			time.Sleep(60 * time.Millisecond)
		}
		if want := []string{"silent", "silent", "well", "well"}; !slices.Equal(asked, want) {
			t.Errorf("asked %v, want %v", asked, want)
		}
		if p, waited := b.take(hosts[:1]); p.host != "silent" || waited > 0 {
			t.Errorf("where there is no other one: %v after %v", p, waited)
		}
		b.give(unanswered, true)
		if p, _ := b.take(hosts); p.host != "silent" {
			t.Errorf("after an answer %v is asked", p.host)
		}
	})
}

func TestAnIdleMemberIsNotSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBound(1)
		hosts := []string{"a", "b"}
		for range 3 {
			p, _ := b.take(hosts)
			if p.host != "a" {
				t.Errorf("%s is asked", p.host)
			}
			b.give(p, false) // its deadline passed
			time.Sleep(time.Minute)
		}
	})
}

// What it was asked has ended with its deadline, and it still says nothing: one operation a second finds out
// whether it is back.
func TestAMemberThatOwesAnswersIsAskedOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBound(1)
		hosts := []string{"still", "well"}
		p, _ := b.take(hosts)
		time.Sleep(2 * time.Second)
		b.give(p, false)
		asked := map[string]int{}
		for range 50 { // in a second and a half
			p, _ := b.take(hosts)
			asked[p.host]++
			if p.host == "well" {
				b.give(p, true)
			} else {
				defer b.give(p, false)
			}
			time.Sleep(30 * time.Millisecond)
		}
		if asked["still"] != 1 {
			t.Errorf("asked %v", asked)
		}
	})
}
