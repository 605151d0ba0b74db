package callers

import (
	"sync"
	"time"
)

// Cache remembers at most size values, each for as long as ttl.
type Cache[K comparable, V any] struct {
	size int
	ttl  time.Duration

	mu      sync.Mutex
	entries map[K]cached[V]
}

type cached[V any] struct {
	value   V
	expires time.Time
}

// NewCache makes an empty one.
func NewCache[K comparable, V any](size int, ttl time.Duration) *Cache[K, V] {
	return &Cache[K, V]{size: size, ttl: ttl, entries: map[K]cached[V]{}}
}

// Get is what was put, unless it has expired.
func (c *Cache[K, V]) Get(key K, now time.Time) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, ok := c.entries[key]
	return entry.value, ok && now.Before(entry.expires)
}

// Put makes room by dropping what has expired, or else any one.
func (c *Cache[K, V]) Put(key K, value V, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) >= c.size {
		for other, entry := range c.entries {
			if !now.Before(entry.expires) {
				delete(c.entries, other)
			}
		}
	}
	if len(c.entries) >= c.size {
		for other := range c.entries {
			delete(c.entries, other)
			break
		}
	}
	c.entries[key] = cached[V]{value, now.Add(c.ttl)}
}

// Len is how many values are held, with those that have expired.
func (c *Cache[K, V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries)
}
