package results

import (
	"strings"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/results/callers"
)

// writes says whether the caller is the pod that w names, of this run, in w's role.
func (f facts) writes(who callers.Identity, w bundle.Writer) bool {
	return who.PodUID != "" && who.PodUID == w.PodUID && f.isPod(who, f.podPrefix(w.Role, w.Workload))
}

// waits says whether the caller may wait for the workload's start.
func (f facts) waits(who callers.Identity, workload string) bool {
	return f.isPod(who, f.podPrefix(bundle.RoleWorker, workload)) ||
		f.isPod(who, f.podPrefix(bundle.RoleObserver, ""))
}

func (f facts) isPod(who callers.Identity, prefix string) bool {
	account, ok := strings.CutPrefix(who.Username, "system:serviceaccount:")
	namespace, _, _ := strings.Cut(account, ":")
	return ok && namespace == f.namespace && prefix != "" && strings.HasPrefix(who.PodName, prefix)
}

// maxPodPrefix is what Kubernetes keeps at least of a Job's name in the names of its
// pods: 58 characters, less an index of three digits between dashes.
const maxPodPrefix = 53

// podPrefix is how the names of a role's pods begin.
func (f facts) podPrefix(role, workload string) string {
	var prefix string
	switch role {
	case bundle.RoleReset:
		prefix = plan.ResetJobName(f.id, workload) + "-"
	case bundle.RoleLoad:
		prefix = plan.LoadJobName(f.id, workload) + "-"
	case bundle.RoleWorker:
		prefix = plan.MeasureJobName(f.id, workload) + "-"
	case bundle.RoleObserver:
		prefix = plan.ObserverName(f.id) + "-"
	}
	return prefix[:min(len(prefix), maxPodPrefix)]
}
