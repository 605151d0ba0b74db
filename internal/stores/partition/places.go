package partition

import "slices"

// Places are the members that are the owners of partitions, by their places among the names of all members. The zero
// identifier is nobody's: such an owner is Unknown, as is one that is none of the names.
func Places[ID comparable](owners, names []ID) []int16 {
	var nobody ID
	places := make([]int16, len(owners))
	for partition, owner := range owners {
		places[partition] = Unknown
		if owner != nobody {
			places[partition] = int16(slices.Index(names, owner))
		}
	}
	return places
}

// Strangers are the members whose names have to be asked for, by their places: where a partition has an owner that is
// none of the names, those whose names own nothing, or aren't known.
func Strangers[ID comparable](owners map[ID]bool, names []ID) (members []int) {
	var nobody ID
	unknown := false
	for owner := range owners {
		unknown = unknown || owner != nobody && !slices.Contains(names, owner)
	}
	if !unknown {
		return nil
	}
	for member, name := range names {
		if name == nobody || !owners[name] {
			members = append(members, member)
		}
	}
	return members
}
