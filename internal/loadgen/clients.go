package loadgen

import (
	"fmt"
	"maps"

	"github.com/kvbench/kvbench/internal/workload"
)

// mixes are those of a closed loop's threads, by their number; nil where all threads make the workload's own.
func (j *Job) mixes() (all []*workload.Spec, err error) {
	for _, group := range j.Workload.Clients {
		properties := maps.Clone(j.Workload.Properties)
		maps.Copy(properties, group.Properties)
		mix, err := workload.Parse(properties, j.Source)
		if err != nil {
			return nil, fmt.Errorf("workload %q, clients %s: %w", j.Workload.Name, group.Name, err)
		}
		for range group.Threads {
			all = append(all, mix)
		}
	}
	if len(all) > 0 && len(all) != j.Workload.Load.Threads {
		return nil, fmt.Errorf("workload %q: its clients have %d threads, and the load has %d", j.Workload.Name, len(all), j.Workload.Load.Threads)
	}
	return all, nil
}
