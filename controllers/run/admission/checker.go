// Package admission says whether a run makes sense on this cluster, before anything is deployed, and
// keeps what its later steps need: the plan, the files and the chart. What it refuses for good is a
// *compile.Refusal; any other error may be gone at the next attempt.
package admission

import (
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/objects"
)

// Checker looks at the cluster, with the rights of the run's service account where a run names things.
type Checker struct{ clients.Set }

func (c *Checker) objects() *objects.Maker { return &objects.Maker{Config: c.Config} }
