package controllers

import (
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// firstSeen remembers when this process first saw that an object is being deleted. The
// object's own stamp is of the API server's clock, which may be an hour away from ours: what
// Chaos Mesh was asked to end a second ago would be given up, or waited for, for an hour.
// After a restart the time counts anew. The zero value is ready.
type firstSeen struct {
	mu sync.Mutex
	at map[types.UID]time.Time
}

// forgetSeen is long after everything that waits for a deletion has given up.
const forgetSeen = time.Hour

func (f *firstSeen) since(uid types.UID, now time.Time) time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	if at, ok := f.at[uid]; ok {
		return at
	}
	if f.at == nil {
		f.at = map[types.UID]time.Time{}
	}
	maps.DeleteFunc(f.at, func(_ types.UID, at time.Time) bool { return now.Sub(at) > forgetSeen })
	f.at[uid] = now
	return now
}
