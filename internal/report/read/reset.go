package read

import (
	"slices"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/instant"
)

// readReset takes the times of the attempt that emptied the store. One that had to be repeated, because it ended before it had
// told of its success, may have left little to do: then nobody knows how long all of it took.
func (r *reader) readReset(w *plan.Workload) {
	var attempts []bundle.Writer
	for _, c := range r.claims {
		if c.Role == bundle.RoleReset && c.Workload == w.Name && !slices.Contains(attempts, c.Writer) {
			attempts = append(attempts, c.Writer)
		}
	}
	if len(attempts) != 1 || r.checkComplete(attempts[0], bundle.Jsonl) != nil {
		return
	}
	self, err := readWriter(r.fsys, attempts[0])
	if err != nil || self.Finish == nil {
		return
	}
	if began, ended := self.Finish.StartedUnixNanos, self.Finish.EndedUnixNanos; 0 < began && began <= ended {
		r.in.Resets[w.Name] = &Reset{instant.Unix(began), instant.Unix(ended)}
	}
}
