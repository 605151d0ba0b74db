package comparison

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/compare/source"
	"github.com/kvbench/kvbench/internal/cli/compare/text"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// match finds the base's counterpart of each combination: the one with all the same labels, or the only one where both have only
// one.
func match(one, base []*findings.BaselineCombination) (pairs []findings.Pairing, onlyHere, onlyInBase []*findings.BaselineCombination) {
	if len(one) == 1 && len(base) == 1 {
		return []findings.Pairing{{One: one[0], Other: base[0]}}, nil, nil
	}
	taken := map[*findings.BaselineCombination]bool{}
	for _, c := range one {
		at := slices.IndexFunc(base, func(other *findings.BaselineCombination) bool {
			return !taken[other] && sameLabels(c.Labels, other.Labels)
		})
		if at < 0 {
			onlyHere = append(onlyHere, c)
			continue
		}
		taken[base[at]] = true
		pairs = append(pairs, findings.Pairing{One: c, Other: base[at]})
	}
	for _, c := range base {
		if !taken[c] {
			onlyInBase = append(onlyInBase, c)
		}
	}
	return pairs, onlyHere, onlyInBase
}

func sameLabels(one, other []manifest.Label) bool {
	return len(one) == len(other) && !slices.ContainsFunc(one, func(l manifest.Label) bool { return !slices.Contains(other, l) })
}

// chosen are the combinations with the labels of where. A combination without such an axis, like that of a run, is among them.
func chosen(found *findings.Baseline, where []manifest.Label) (all []*findings.BaselineCombination) {
	for i := range found.Combinations {
		c := &found.Combinations[i]
		if !slices.ContainsFunc(where, func(l manifest.Label) bool { return differs(c.Labels, l) }) {
			all = append(all, c)
		}
	}
	return all
}

func differs(labels []manifest.Label, wanted manifest.Label) bool {
	return slices.ContainsFunc(labels, func(l manifest.Label) bool { return l.Axis == wanted.Axis && l.Value != wanted.Value })
}

// named is how many of those that there are a sentence names.
const named = 20

// checkWhere refuses a label that no combination has, which would choose nothing or everything.
func checkWhere(sources []*source.Source, where []manifest.Label) error {
	for _, wanted := range where {
		var there []string
		known := false
		for _, s := range sources {
			for i := range s.Found.Combinations {
				for _, l := range s.Found.Combinations[i].Labels {
					known = known || l == wanted
					if word := text.Clean(l.String()); !slices.Contains(there, word) && len(there) < named {
						there = append(there, word)
					}
				}
			}
		}
		if known {
			continue
		}
		if len(there) == 0 {
			return fmt.Errorf("--where %s chooses nothing: runs have no axes", wanted)
		}
		return fmt.Errorf("--where %s chooses nothing: there are %s", wanted, strings.Join(there, ", "))
	}
	return nil
}

// checkOperation refuses a kind of operation that nobody did: a gate without its percentiles would open for nothing.
func checkOperation(sources []*source.Source, operation string) error {
	var there []string
	for _, s := range sources {
		for i := range s.Found.Combinations {
			for _, kind := range s.Found.Combinations[i].Operations {
				if kind.Operation == operation {
					return nil
				}
				if word := text.Clean(kind.Operation); !slices.Contains(there, word) && len(there) < named {
					there = append(there, word)
				}
			}
		}
	}
	if operation == "" {
		return nil
	}
	return fmt.Errorf("--operation %s is of none that was done: there are %s", operation, strings.Join(there, ", "))
}
