package controllers

import (
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// firstSeen remembers when this process first saw something of an object: that it is being
// deleted, say. The object's own stamp is of the API server's clock, which may be an hour away
// from ours: what Chaos Mesh was asked to end a second ago would be given up, or waited for,
// for an hour. After a restart the time counts anew. The zero value is ready.
type firstSeen struct {
	mu   sync.Mutex
	seen map[types.UID]sight
}

type sight struct{ first, last time.Time }

// forgetSeen is how long something is remembered that nobody asked for. What waits for a
// deadline asks more often; of what did not ask for an hour, the time counts anew.
const forgetSeen = time.Hour

// since is when it was first seen, which is now at the latest.
func (f *firstSeen) since(uid types.UID, now time.Time) time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.seen[uid]
	if !ok {
		if f.seen == nil {
			f.seen = map[types.UID]sight{}
		}
		maps.DeleteFunc(f.seen, func(_ types.UID, s sight) bool { return now.Sub(s.last) > forgetSeen })
		s.first = now
	}
	s.last = now
	f.seen[uid] = s
	return s.first
}

// at is since for what may not have been seen: zero then.
func (f *firstSeen) at(uid types.UID, now time.Time) time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.seen[uid]
	if !ok {
		return time.Time{}
	}
	s.last = now
	f.seen[uid] = s
	return s.first
}

// forget lets the time of what was seen count anew.
func (f *firstSeen) forget(uid types.UID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.seen, uid)
}
