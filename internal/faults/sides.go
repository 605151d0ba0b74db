package faults

import (
	"maps"
	"slices"
	"strings"
)

// Sides are the members that a fault hits, and those from which it separates them, by the names of their pods. Both
// lists are sorted.
type Sides struct{ Targets, Peers []string }

// All are the members of both sides.
func (s Sides) All() []string { return slices.Concat(s.Targets, s.Peers) }

// Sole is the one target; "" where there is none, or more than one.
func (s Sides) Sole() string {
	if len(s.Targets) != 1 {
		return ""
	}
	return s.Targets[0]
}

// Equal says that both are the same members.
func (s Sides) Equal(other Sides) bool {
	return slices.Equal(s.Targets, other.Targets) && slices.Equal(s.Peers, other.Peers)
}

func (s Sides) String() string {
	text := strings.Join(s.Targets, ", ")
	if len(s.Peers) > 0 {
		text += " against " + strings.Join(s.Peers, ", ")
	}
	return text
}

// Pods tell pods apart that have the same name, one after the other. Each name has an Identity. It is "" for a pod that
// isn't there.
type Pods map[string]string

// Identity is that of a pod. It is another one where the pod was replaced, or got another address.
func Identity(uid, address string) string { return uid + " " + address }

// UID is that of the pod of a name; "" for a pod that isn't there. It stays where only the address became another.
func (p Pods) UID(name string) string {
	uid, _, _ := strings.Cut(p[name], " ")
	return uid
}

// Of are those of them that are at one of the sides.
func (p Pods) Of(sides Sides) Pods {
	of := Pods{}
	for _, name := range sides.All() {
		of[name] = p[name]
	}
	return of
}

// Replaced names, sorted, the pods that are others now.
func (p Pods) Replaced(now Pods) []string {
	var replaced []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if now[name] != p[name] {
			replaced = append(replaced, name)
		}
	}
	return replaced
}
