package callers

import (
	"testing"
	"time"
)

func TestTheCacheDropsWhatHasExpiredFirst(t *testing.T) {
	c := NewCache[int, string](2, time.Minute)
	now := time.Unix(0, 0)
	c.Put(1, "old", now)
	now = now.Add(50 * time.Second)
	c.Put(2, "young", now)
	now = now.Add(20 * time.Second)
	c.Put(3, "new", now)
	if _, ok := c.Get(2, now); !ok {
		t.Error("a valid answer was dropped for an expired one")
	}
	if _, ok := c.Get(1, now); ok {
		t.Error("an expired answer is given")
	}
}
