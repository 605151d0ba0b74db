package results

import (
	"encoding/json"
	"regexp"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/results/need"
	"github.com/kvbench/kvbench/internal/results/wire"
)

var (
	uidPattern      = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	workloadPattern = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$`)
	labelPattern    = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$`)
)

// facts are what the server needs of a plan; the plan itself stays on the disk.
type facts struct {
	uid       string
	namespace string
	name      string
	id        string
	store     string
	mode      string
	members   int
	workloads map[string]workloadFacts
	need      need.Need
	// files and claims are how many its workers and loaders make, each started once.
	files, claims int
}

// A worker's files are its bins, its interval log and its own condition, a loader's the last two.
const (
	filesOfWorker = 3
	filesOfLoader = 2
	filesOfReset  = 1 // its own condition
)

type workloadFacts struct {
	workers      int
	warmupMillis int64
}

// readFacts checks as much of a plan as the server relies on.
func readFacts(uid string, document []byte) (facts, error) {
	var p plan.Plan
	if err := json.Unmarshal(document, &p); err != nil {
		return facts{}, refuse(wire.ReasonInvalid, "the plan is not JSON of a plan: %v", err)
	}
	switch {
	case p.Format != plan.Format:
		return facts{}, refuse(wire.ReasonInvalid, "the plan has format %d; this server knows %d", p.Format, plan.Format)
	case p.Run.UID != uid:
		return facts{}, refuse(wire.ReasonInvalid, "the plan is of the run %q, not of %s", p.Run.UID, uid)
	case !labelPattern.MatchString(p.Run.Namespace), !labelPattern.MatchString(p.Run.ID):
		return facts{}, refuse(wire.ReasonInvalid, "the plan's namespace %q or id %q is not a DNS label", p.Run.Namespace, p.Run.ID)
	case len(p.Workloads) == 0:
		return facts{}, refuse(wire.ReasonInvalid, "the plan has no workload")
	}
	f := facts{uid: uid, namespace: p.Run.Namespace, name: p.Run.Name, id: p.Run.ID, store: p.Store.Name, mode: p.Store.Mode,
		members: len(p.Store.Members), workloads: map[string]workloadFacts{}}
	for _, w := range p.Workloads {
		if !workloadPattern.MatchString(w.Name) {
			return facts{}, refuse(wire.ReasonInvalid, "the workload's name %q is not a DNS label of at most 32 characters", w.Name)
		}
		if _, twice := f.workloads[w.Name]; twice {
			return facts{}, refuse(wire.ReasonInvalid, "two workloads are called %q", w.Name)
		}
		if w.Load.Workers < 1 || w.Load.Workers > 1000 {
			return facts{}, refuse(wire.ReasonInvalid, "workload %q has %d workers; 1 to 1000 are possible", w.Name, w.Load.Workers)
		}
		f.workloads[w.Name] = workloadFacts{workers: w.Load.Workers, warmupMillis: w.Load.WarmupMillis}
		f.files, f.claims = f.files+filesOfWorker*w.Load.Workers, f.claims+w.Load.Workers
		if w.Reset {
			f.files, f.claims = f.files+filesOfReset, f.claims+1
		}
		if w.LoadFirst {
			f.files, f.claims = f.files+filesOfLoader*w.Load.Workers, f.claims+w.Load.Workers
		}
	}
	f.need = need.Of(&p) // each workload has a worker by now
	return f, nil
}
