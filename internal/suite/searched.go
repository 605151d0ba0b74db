package suite

import "github.com/kvbench/kvbench/internal/suite/manifest"

// A search makes two combinations of each one of the axes, side by side: at the rate that holds, and at the one that misses.

// Searches is how many combinations of the axes these were made of.
func Searches(combinations []Combination) int { return len(combinations) / 2 }

// Searched is the combination of the axes that one was made of, and whether it is at the rate that misses.
func Searched(combination int) (searched int, misses bool) {
	return combination / 2, combination%2 == 1
}

func holdsOf(searched int) int { return 2 * searched }

func missesOf(searched int) int { return 2*searched + 1 }

// SearchedLabels are those of a combination of the axes.
func SearchedLabels(combinations []Combination, searched int) []manifest.Label {
	labels := combinations[holdsOf(searched)].Labels
	return labels[:len(labels)-1]
}
