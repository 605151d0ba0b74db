package findings

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// circumstances are what the runs have to have in common, or what has to be known beside their figures.
type circumstances struct {
	versions  map[string]bool // of kvbench
	promises  map[string]map[string]bool
	saturated []saturation
}

// saturation is a workload of a combination whose load the store could not take.
type saturation struct {
	combination, workload string
	trials                int
}

func newCircumstances() *circumstances {
	return &circumstances{versions: map[string]bool{}, promises: map[string]map[string]bool{}}
}

func (c *circumstances) note(labels []manifest.Label, found *Run) {
	c.versions[found.Kvbench] = true
	name := manifest.NameOf(labels)
	if c.promises[found.Promise] == nil {
		c.promises[found.Promise] = map[string]bool{}
	}
	c.promises[found.Promise][name] = true
	for _, workload := range found.Saturated {
		at := slices.IndexFunc(c.saturated, func(s saturation) bool { return s.combination == name && s.workload == workload })
		if at < 0 {
			at = len(c.saturated)
			c.saturated = append(c.saturated, saturation{combination: name, workload: workload})
		}
		c.saturated[at].trials++
	}
}

func (c *circumstances) warnings() (all []string) {
	if len(c.versions) > 1 {
		all = append(all, fmt.Sprintf("the runs were made by several versions of kvbench, and may differ by that: %q", slices.Sorted(maps.Keys(c.versions))))
	}
	if len(c.promises) > 1 {
		all = append(all, fmt.Sprintf("the stores promise different things for an operation that succeeds (%s): one that promises less may be faster by that alone", c.promised()))
	}
	for _, s := range c.saturated {
		all = append(all, fmt.Sprintf("%s: the store could not take the load of workload %s in %d trials, so compare its throughput, and no latencies", s.combination, s.workload, s.trials))
	}
	return all
}

// promised names each promise and the combinations with it.
func (c *circumstances) promised() (text string) {
	for i, promise := range slices.Sorted(maps.Keys(c.promises)) {
		if i > 0 {
			text += "; "
		}
		text += fmt.Sprintf("%s: %d combinations", promise, len(c.promises[promise]))
	}
	return text
}
