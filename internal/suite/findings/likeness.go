package findings

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/suite/fingerprint"
)

// likeness says whether two combinations may be compared. It remembers what it found: most runs of a combination are alike.
type likeness struct {
	despite []string
	// numbers of fingerprints that are alike, by their text; and those of runs.
	numbers map[string]int
	ofRuns  map[*Run]int
	found   map[[2]int][]fingerprint.Difference
}

func newLikeness(despite []string) *likeness {
	return &likeness{despite: despite, numbers: map[string]int{}, ofRuns: map[*Run]int{}, found: map[[2]int][]fingerprint.Difference{}}
}

// between are the differences of two combinations in the blocks in which both are valid, beside the fields that an axis
// changes and those that are accepted.
func (l *likeness) between(one, other *Combination, meant []string) (all []fingerprint.Difference) {
	seen := map[[2]int]bool{}
	for _, block := range one.blocks() {
		a, b := one.trials[block], other.trials[block]
		if a == nil || b == nil {
			continue
		}
		all = l.add(all, seen, a, b, meant)
	}
	return all
}

// add adds the differences of two runs to those that are known. seen are the pairs that were looked at.
func (l *likeness) add(all []fingerprint.Difference, seen map[[2]int]bool, a, b *Run, meant []string) []fingerprint.Difference {
	pair := [2]int{l.number(a), l.number(b)}
	if seen[pair] {
		return all
	}
	seen[pair] = true
	for _, d := range l.differences(pair, a, b) {
		if !slices.Contains(all, d) && !fingerprint.Covered(d.Field, meant) && !fingerprint.Covered(d.Field, l.despite) {
			all = append(all, d)
		}
	}
	return all
}

// differences of two runs with these numbers.
func (l *likeness) differences(pair [2]int, a, b *Run) []fingerprint.Difference {
	found, known := l.found[pair]
	if !known {
		found = fingerprint.Differences(a.print, b.print)
		l.found[pair] = found
	}
	return found
}

// number is the same for runs that are alike.
func (l *likeness) number(run *Run) int {
	if n, known := l.ofRuns[run]; known {
		return n
	}
	var text strings.Builder
	for _, field := range slices.Sorted(maps.Keys(run.print)) {
		fmt.Fprintf(&text, "%q %q\n", field, run.print[field])
	}
	n, known := l.numbers[text.String()]
	if !known {
		n = len(l.numbers)
		l.numbers[text.String()] = n
	}
	l.ofRuns[run] = n
	return n
}

// fieldsBetween are those of the axes on which two combinations differ. A suite of an earlier version doesn't tell them: then
// they may be any.
func (r *Report) fieldsBetween(one, other *Combination) (fields []string) {
	for axis := range r.Axes {
		switch {
		case one.Labels[axis] == other.Labels[axis]:
		case r.Axes[axis].Fields == nil:
			return []string{""}
		default:
			fields = append(fields, r.Axes[axis].Fields...)
		}
	}
	return fields
}

// unlike says in what the trials of a combination differ from the first of them; "" if they are alike. They have one spec, so
// they differ by what happened, such as another version of kvbench, and not by plan.
func (l *likeness) unlike(c *Combination) string {
	var first *Run
	var all []fingerprint.Difference
	for _, block := range c.blocks() {
		run := c.trials[block]
		switch {
		case run == nil:
		case first == nil:
			first = run
		default:
			for _, d := range l.differences([2]int{l.number(run), l.number(first)}, run, first) {
				if !slices.Contains(all, d) && !fingerprint.Covered(d.Field, l.despite) {
					all = append(all, d)
				}
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	return named(all)
}

// namedDifferences is how many differences a sentence names.
const namedDifferences = 4

// notComparable says what keeps two combinations from being compared.
func notComparable(differences []fingerprint.Difference) string {
	return "not comparable: " + named(differences)
}

// named names the fields that differ, as compare.despite would.
func named(differences []fingerprint.Difference) string {
	var parts []string
	for _, d := range differences[:min(len(differences), namedDifferences)] {
		parts = append(parts, fmt.Sprintf("%s is %s, and %s", d.Field, shown(d.Value), shown(d.Against)))
	}
	if more := len(differences) - namedDifferences; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more differ", more))
	}
	return strings.Join(parts, "; ")
}

// shown is a value as a sentence shows it.
func shown(value string) string {
	const longest = 40
	switch {
	case value == "":
		return "not set"
	case len(value) > longest:
		return fmt.Sprintf("%.40q…", value)
	}
	return value
}
