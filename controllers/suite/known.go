package suite

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// knownRuns remembers of the runs of each suite whether they have the spec that the suite wants. Neither can be changed, and
// a suite of a thousand runs looks at all of them in each pass. It is safe for concurrent use.
type knownRuns struct {
	mu     sync.Mutex
	suites map[types.NamespacedName]map[types.UID]bool
}

func (k *knownRuns) same(suite types.NamespacedName, run *v1alpha1.BenchmarkRun, wanted func() *v1alpha1.BenchmarkRunSpec) (bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if same, known := k.suites[suite][run.UID]; known {
		return same, nil
	}
	same, err := sameJSON(&run.Spec, wanted())
	if err != nil {
		return false, err
	}
	if k.suites == nil {
		k.suites = map[types.NamespacedName]map[types.UID]bool{}
	}
	if k.suites[suite] == nil {
		k.suites[suite] = map[types.UID]bool{}
	}
	k.suites[suite][run.UID] = same
	return same, nil
}

// forget is of a suite that is gone.
func (k *knownRuns) forget(suite types.NamespacedName) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.suites, suite)
}
