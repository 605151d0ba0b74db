// Package editdistance measures how alike two names are. Errors use it to suggest the nearest known name.
package editdistance

import "strings"

// Between is the Levenshtein distance in bytes: the fewest insertions, deletions and
// replacements that turn one name into the other.
func Between(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = min(diagonal, row[j], row[j+1]) + 1
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// Nearest is the known name that somebody probably meant, whatever its case: the one that differs in the fewest letters, if
// these are a third and one at most. It is "" if there is none.
func Nearest(name string, known []string) (nearest string) {
	fewest := len(name)/3 + 2
	for _, other := range known {
		if d := Between(strings.ToLower(name), strings.ToLower(other)); d < fewest && d < len(name) {
			nearest, fewest = other, d
		}
	}
	return nearest
}
