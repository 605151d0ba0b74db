// Package editdistance measures how alike two names are. Errors use it to suggest the nearest known name.
package editdistance

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
