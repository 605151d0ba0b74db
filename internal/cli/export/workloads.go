package export

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/compare/text"
	"github.com/kvbench/kvbench/internal/editdistance"
	"github.com/kvbench/kvbench/internal/report"
)

// choose is the workloads to export: the named one, or all that were measured where none is named.
func choose(r *report.Report, name string) (chosen []*report.Workload, err error) {
	for i := range r.Workloads {
		w := &r.Workloads[i]
		if name != "" && w.Name != name {
			continue
		}
		if w.StartedAt == nil {
			if name != "" {
				return nil, fmt.Errorf("the workload %s was never measured: there is nothing to export", name)
			}
			continue
		}
		chosen = append(chosen, w)
	}
	switch {
	case len(chosen) > 0:
		return chosen, nil
	case name == "":
		return nil, fmt.Errorf("no workload of the run was measured: there is nothing to export")
	}
	return nil, fmt.Errorf("the run has no workload %s%s", name, nearest(r, name))
}

// nearest suggests a name that differs in a third of its letters at most, or lists all.
func nearest(r *report.Report, name string) string {
	best, distance := "", len(name)/3+1
	var all []*report.Workload
	for i := range r.Workloads {
		w := &r.Workloads[i]
		all = append(all, w)
		if d := editdistance.Between(name, w.Name); d < distance {
			best, distance = w.Name, d
		}
	}
	if best != "" {
		return "; did you mean " + text.Clean(best) + "?"
	}
	return "; it has " + names(all)
}

func names(workloads []*report.Workload) string {
	list := make([]string, len(workloads))
	for i, w := range workloads {
		list[i] = text.Clean(w.Name)
	}
	return strings.Join(list, ", ")
}
