// Package stream hands the events of a source to all who follow it, as server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html). Whoever was cut off goes on where they were.
package stream

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Event has an ID that is larger than those before it, and one line of data.
type Event struct {
	ID   int64
	Name string // "" is a message
	Data []byte
}

// Feed keeps the last events of a source.
type Feed struct {
	most int

	mu      sync.Mutex
	events  []Event
	over    bool
	changed chan struct{} // closed and replaced when there is more
}

// NewFeed keeps so many events.
func NewFeed(most int) *Feed { return &Feed{most: most, changed: make(chan struct{})} }

// Add tells the events to all who follow.
func (f *Feed) Add(events ...Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, events...)
	if n := len(f.events) - f.most; n > 0 {
		f.events = slices.Delete(f.events, 0, n)
	}
	f.wake()
}

// End says that no event follows.
func (f *Feed) End() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	f.wake()
}

func (f *Feed) wake() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// after are the events with a larger ID, whether they are the last ones, and what is closed when there are more.
func (f *Feed) after(id int64) (events []Event, over bool, changed <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	first, _ := slices.BinarySearchFunc(f.events, id, func(e Event, id int64) int {
		if e.ID <= id {
			return -1
		}
		return 1
	})
	return slices.Clone(f.events[first:]), f.over, f.changed
}

// Feeds are those that somebody follows. Each is made when the first one comes, and ends some time after the last one has gone.
type Feeds struct {
	most   int
	linger time.Duration

	mu   sync.Mutex
	open map[string]*openFeed
	all  sync.WaitGroup // producers
}

type openFeed struct {
	feed      *Feed
	followers int
	stop      context.CancelFunc
	end       *time.Timer // runs while nobody follows
}

// NewFeeds has at most so many feeds at a time. One that nobody follows lingers for a while, unless its place is needed.
func NewFeeds(most int, linger time.Duration) *Feeds {
	return &Feeds{most: most, linger: linger, open: map[string]*openFeed{}}
}

// Open is the feed with that key. produce fills one that is made now, until its context ends; it ends the feed when no event follows. ok
// is false where there are too many feeds. The caller calls leave once.
func (f *Feeds) Open(key string, feed func() *Feed, produce func(context.Context, *Feed)) (opened *Feed, leave func(), ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	of := f.open[key]
	if of == nil {
		if !f.room() {
			return nil, nil, false
		}
		ctx, stop := context.WithCancel(context.Background())
		of = &openFeed{feed: feed(), stop: stop}
		f.open[key] = of
		f.all.Go(func() { produce(ctx, of.feed) })
	}
	if of.end != nil {
		of.end.Stop()
		of.end = nil
	}
	of.followers++
	return of.feed, func() { f.leave(key, of) }, true
}

// room makes a place by ending a feed that nobody follows, if it has to. The caller holds mu.
func (f *Feeds) room() bool {
	if len(f.open) < f.most {
		return true
	}
	for key, of := range f.open {
		if of.followers == 0 {
			f.drop(key, of)
			return true
		}
	}
	return false
}

// drop ends a feed. The caller holds mu.
func (f *Feeds) drop(key string, of *openFeed) {
	if f.open[key] == of {
		delete(f.open, key)
	}
	of.stop()
}

func (f *Feeds) leave(key string, of *openFeed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if of.followers--; of.followers > 0 {
		return
	}
	of.end = time.AfterFunc(f.linger, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if of.followers == 0 {
			f.drop(key, of)
		}
	})
}

// Close ends all feeds, and waits for their producers.
func (f *Feeds) Close() {
	f.mu.Lock()
	for key, of := range f.open {
		f.drop(key, of)
	}
	f.mu.Unlock()
	f.all.Wait()
}
