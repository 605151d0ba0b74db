package findings

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Adoption is what a suite took over from an earlier one of its name.
type Adoption struct {
	Suite string `json:"suite"` // the earlier one's UID
	// Changed says that the earlier one had another number of trials, compared something else, or had other objectives.
	Changed bool `json:"changed"`
	// Baselines are the names of those that were taken over as well, as they were for the earlier suite.
	Baselines []string `json:"baselines,omitempty"`
	// Trials counts those that are done by a run of the earlier suite.
	Trials int `json:"trials"`
	// MixedBlocks counts the blocks that have such trials and others.
	MixedBlocks int `json:"mixedBlocks"`
}

// adoptionOf counts what was taken over; nil if that is nothing.
func adoptionOf(m *manifest.Manifest) *Adoption {
	if m.Adoption == nil {
		return nil
	}
	a := &Adoption{Suite: m.Adoption.Suite, Changed: m.Adoption.Changed, Baselines: m.Adoption.Baselines}
	adopted, own := make([]bool, m.Blocks), make([]bool, m.Blocks)
	for _, trial := range m.Trials {
		n := len(trial.Attempts)
		switch {
		case n == 0:
		case trial.Attempts[n-1].Adopted:
			a.Trials++
			adopted[trial.Block] = true
		default:
			own[trial.Block] = true
		}
	}
	for block := range adopted {
		if adopted[block] && own[block] {
			a.MixedBlocks++
		}
	}
	if a.Trials == 0 {
		return nil
	}
	return a
}

// warnings are what has to be known of runs that were taken over.
func (a *Adoption) warnings() (all []string) {
	if a == nil {
		return nil
	}
	text := fmt.Sprintf("%d trials are runs of an earlier suite of this name, with the UID %s", a.Trials, a.Suite)
	if a.MixedBlocks > 0 {
		text += fmt.Sprintf("; of %d of the blocks only some trials are, so that a change of the machines in between falls on some combinations alone", a.MixedBlocks)
	}
	all = append(all, text)
	if len(a.Baselines) > 0 {
		all = append(all, fmt.Sprintf("the baselines %s are what they were for the earlier suite, whatever has these names by now", strings.Join(a.Baselines, ", ")))
	}
	if a.Changed {
		all = append(all, "the number of trials, the objectives or the comparison are others than the earlier suite's, and somebody may have written them when its figures were known")
	}
	return all
}
