package suite

import (
	"crypto/sha256"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// memories are of each suite, between its passes. Another process begins without them, and does no harm by that. They are
// safe for concurrent use.
type memories struct {
	mu     sync.Mutex
	suites map[types.NamespacedName]*memory
}

type memory struct {
	// same says of each run, by its UID, whether it has the spec that the suite wants of it. Neither can be changed, and a suite of
	// a thousand runs looks at all of them in each pass.
	same map[types.UID]sameness
	// adoption is what the results server said that the suite with the UID adopter takes over; nil before it was asked.
	adoption *manifest.Adoption
	adopter  types.UID
	// told is the digest of the last manifest that the results server took.
	told [sha256.Size]byte
}

// sameness is whether a run has the spec of what it has to measure.
type sameness struct {
	what string
	same bool
}

// of is a suite's memory. The caller holds mu.
func (m *memories) of(suite types.NamespacedName) *memory {
	if m.suites == nil {
		m.suites = map[types.NamespacedName]*memory{}
	}
	if m.suites[suite] == nil {
		m.suites[suite] = &memory{same: map[types.UID]sameness{}}
	}
	return m.suites[suite]
}

// sameSpec says that the run has the spec that is wanted. what tells apart what a run of its name may have to measure, for that may
// follow from earlier runs.
func (m *memories) sameSpec(suite types.NamespacedName, run *v1alpha1.BenchmarkRun, what string, wanted func() *v1alpha1.BenchmarkRunSpec) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	held := m.of(suite)
	if known, is := held.same[run.UID]; is && known.what == what {
		return known.same, nil
	}
	same, err := sameJSON(&run.Spec, wanted())
	if err == nil {
		held.same[run.UID] = sameness{what, same}
	}
	return same, err
}

// adoption is what the suite takes over; nil if that isn't known. The UID tells it from another one of its name.
func (m *memories) adoption(suite types.NamespacedName, uid types.UID) *manifest.Adoption {
	m.mu.Lock()
	defer m.mu.Unlock()
	if held := m.of(suite); held.adopter == uid {
		return held.adoption
	}
	return nil
}

// adopt notes what the suite takes over.
func (m *memories) adopt(suite types.NamespacedName, uid types.UID, what *manifest.Adoption) {
	m.mu.Lock()
	defer m.mu.Unlock()
	held := m.of(suite)
	held.adopter, held.adoption = uid, what
}

// wasTold says that the results server has this manifest from this process.
func (m *memories) wasTold(suite types.NamespacedName, document []byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of(suite).told == sha256.Sum256(document)
}

// tell notes that the results server has taken it.
func (m *memories) tell(suite types.NamespacedName, document []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of(suite).told = sha256.Sum256(document)
}

// untell forgets what the results server was told, so that it is told again.
func (m *memories) untell(suite types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of(suite).told = [sha256.Size]byte{}
}

// forget is of a suite that is gone.
func (m *memories) forget(suite types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.suites, suite)
}
