package redis

import (
	"fmt"
	"slices"
	"strconv"
)

// mostPrimaries is how many primaries a cluster of enough members has: as few as can agree on who
// takes the place of one of them.
const mostPrimaries = 3

// step is something to be done at a member so that all are one cluster.
type step struct {
	at      int      // member
	command []string // what is sent to it
	did     string   // for the report; "" where it changes nothing by itself
}

// forming is all members, as each of them sees the cluster, and the IP address and port that each
// is reached at.
type forming struct {
	names []string
	views [][]node
	hosts []string
	ports []string
}

// next is what has to be done now: nothing where all is well, or where the members are about to do
// it by themselves. It goes by what is, and not by what was done before, so it can be broken off
// anywhere, and done again. What a member has, it says itself: what others say of it may be old.
func (f *forming) next() []step {
	if steps := f.introductions(); len(steps) > 0 {
		return steps
	}
	if steps, wait := f.farewells(); len(steps) > 0 || wait {
		return steps
	}
	if !f.acquainted() {
		return nil // they tell each other
	}
	if steps := f.grants(); len(steps) > 0 {
		return steps
	}
	return f.followings()
}

// introductions are of members that one of them doesn't know, or has missed since they are at
// another address now. It is one that has slots, if any has, and the others' own IDs are what it
// has to know.
func (f *forming) introductions() (steps []step) {
	host := max(0, slices.IndexFunc(f.views, func(nodes []node) bool { return len(selfOf(nodes).slots) > 0 }))
	for i := range f.views {
		if known, ok := find(f.views[host], selfOf(f.views[i]).id); i != host && (!ok || known.failed && !known.linked) {
			steps = append(steps, step{at: host, command: []string{"CLUSTER", "MEET", f.hosts[i], f.ports[i]}})
		}
	}
	return steps
}

// farewells are to nodes that no member is any more: one that came back without its data has
// another ID. One that has slots is waited for while a replica is there to take them over. Where it
// has taken them, and others don't believe it, they do as soon as they have forgotten who had them.
func (f *forming) farewells() (steps []step, wait bool) {
	for i, nodes := range f.views {
		for _, gone := range nodes {
			if f.isMember(gone.id) || gone.handshake {
				continue
			}
			if !gone.failed || len(gone.slots) > 0 && f.followed(gone.id) {
				wait = true
				continue
			}
			did := fmt.Sprintf("%s forgot a member that is gone", f.names[i])
			if lost := f.lacking(gone.slots); len(lost) > 0 {
				did += fmt.Sprintf(", with %d slots that nobody else has", countSlots(lost))
			}
			steps = append(steps, step{i, []string{"CLUSTER", "FORGET", gone.id}, did})
		}
	}
	if wait {
		return nil, true
	}
	return steps, false
}

func (f *forming) isMember(id string) bool {
	return slices.ContainsFunc(f.views, func(nodes []node) bool { return selfOf(nodes).id == id })
}

// followed says whether a member is a replica of that node.
func (f *forming) followed(id string) bool { return f.followers(id) > 0 }

func (f *forming) followers(id string) (count int) {
	for _, nodes := range f.views {
		if selfOf(nodes).follows == id {
			count++
		}
	}
	return count
}

// acquainted says that every member knows every other one.
func (f *forming) acquainted() bool {
	for _, nodes := range f.views {
		for _, others := range f.views {
			if _, ok := find(nodes, selfOf(others).id); !ok {
				return false
			}
		}
	}
	return true
}

// grants give what no member has of a primary's part of the slots to the next one that has none,
// and follows nobody.
func (f *forming) grants() (steps []step) {
	free := f.free()
	for _, part := range partsOf(min(mostPrimaries, len(f.views))) {
		lacking := f.lacking([]span{part})
		if len(lacking) == 0 {
			continue
		}
		if len(free) == 0 {
			break
		}
		command := []string{"CLUSTER", "ADDSLOTSRANGE"}
		for _, span := range lacking {
			command = append(command, strconv.Itoa(span.first), strconv.Itoa(span.last))
		}
		steps = append(steps, step{free[0], command, fmt.Sprintf("%s was given %d slots", f.names[free[0]], countSlots(lacking))})
		free = free[1:]
	}
	return steps
}

// followings make replicas of the members that have no slots, of the primaries with the fewest.
func (f *forming) followings() (steps []step) {
	count := map[int]int{}
	for i, nodes := range f.views {
		if self := selfOf(nodes); len(self.slots) > 0 {
			count[i] = f.followers(self.id)
		}
	}
	for _, i := range f.free() {
		best := nobody
		for primary := range f.views {
			if n, has := count[primary]; has && (best == nobody || n < count[best]) {
				best = primary
			}
		}
		if best == nobody {
			return nil
		}
		count[best]++
		steps = append(steps, step{i, []string{"CLUSTER", "REPLICATE", selfOf(f.views[best]).id},
			fmt.Sprintf("%s was made a replica of %s", f.names[i], f.names[best])})
	}
	return steps
}

// free are the members that have no slots and follow nobody.
func (f *forming) free() (members []int) {
	for i, nodes := range f.views {
		if self := selfOf(nodes); self.primary && len(self.slots) == 0 {
			members = append(members, i)
		}
	}
	return members
}

// lacking is what no member has of these slots.
func (f *forming) lacking(of []span) (spans []span) {
	var has [slotCount]bool
	for _, nodes := range f.views {
		for _, span := range selfOf(nodes).slots {
			for slot := span.first; slot <= span.last; slot++ {
				has[slot] = true
			}
		}
	}
	for _, part := range of {
		for slot := part.first; slot <= part.last; slot++ {
			switch last := len(spans) - 1; {
			case has[slot]:
			case last >= 0 && spans[last].last == slot-1:
				spans[last].last = slot
			default:
				spans = append(spans, span{slot, slot})
			}
		}
	}
	return spans
}

// partsOf are all slots in so many parts, as equal as can be.
func partsOf(count int) []span {
	parts := make([]span, count)
	for i := range parts {
		parts[i] = span{i * slotCount / count, (i+1)*slotCount/count - 1}
	}
	return parts
}

func countSlots(spans []span) (count int) {
	for _, span := range spans {
		count += span.last - span.first + 1
	}
	return count
}
