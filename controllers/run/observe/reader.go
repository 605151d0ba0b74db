// Package observe reads the cluster, the results server's clock and the run's observer into the value
// that decide looks at. It changes nothing. What it remembers of a pass is in the value's Memory.
package observe

import (
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/clients"
)

// Reader observes runs.
type Reader struct {
	clients.Set
	// FirstSeen is when this process had its first pass for a run; zero where it had none.
	FirstSeen func(*v1alpha1.BenchmarkRun) time.Time
}
