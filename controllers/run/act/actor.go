// Package act does what was decided, and notes in the run's status what came of it. Each act is
// harmless when repeated: the note of it may be lost, and then it is done again.
package act

import (
	"github.com/kvbench/kvbench/controllers/run/admission"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/objects"
)

// Actor acts for runs.
type Actor struct{ clients.Set }

func (r *Actor) checker() *admission.Checker { return &admission.Checker{Set: r.Set} }

func (r *Actor) objects() *objects.Maker { return &objects.Maker{Config: r.Config} }
