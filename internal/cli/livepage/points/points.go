// Package points keeps the points that programs post to the live page, for as long as kubectl kvbench open runs.
package points

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/kvbench/kvbench/internal/imported"
)

const (
	maxFeeds = 16
	maxTotal = 512 << 20 // bytes of all feeds
)

// Header tells the page what the lines are.
const Header = "series,unixMillis,value\n"

// Feeds are all of them.
type Feeds struct {
	mu    sync.Mutex
	feeds []*feed // in the order of their first points
	total int
}

// feed is what was posted under a name. Bytes that are in text don't change, so readers need no copy.
type feed struct {
	name    string
	text    []byte
	points  int
	changed chan struct{} // closed by the next change
}

// Listed is a feed in the list.
type Listed struct {
	Name   string `json:"name"`
	Points int    `json:"points"`
}

// New has none.
func New() *Feeds { return &Feeds{} }

// List is in the order of their first points.
func (f *Feeds) List() []Listed {
	f.mu.Lock()
	defer f.mu.Unlock()
	listed := []Listed{}
	for _, one := range f.feeds {
		listed = append(listed, Listed{one.name, one.points})
	}
	return listed
}

// Add adds all lines, or none if one of them is no point.
func (f *Feeds) Add(name string, text []byte) (points int, err error) {
	if err := imported.CheckName(name); err != nil {
		return 0, fmt.Errorf("the name %w", err)
	}
	text, points, err = check(text)
	if err != nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	at := f.find(name)
	switch {
	case points == 0:
		return 0, errors.New("there is no point in it: each line is series,unixMillis,value")
	case at < 0 && len(f.feeds) == maxFeeds:
		return 0, fmt.Errorf("there are %d names already: start kubectl kvbench open again", maxFeeds)
	case f.total+len(text) > maxTotal:
		return 0, fmt.Errorf("there are %d MiB of points already: start kubectl kvbench open again", f.total>>20)
	case at < 0:
		at = len(f.feeds)
		f.feeds = append(f.feeds, &feed{name: name, changed: make(chan struct{})})
	}
	one := f.feeds[at]
	one.text = append(one.text, text...)
	one.points += points
	f.total += len(text)
	close(one.changed)
	one.changed = make(chan struct{})
	return points, nil
}

func (f *Feeds) find(name string) int {
	return slices.IndexFunc(f.feeds, func(one *feed) bool { return one.name == name })
}

// ErrNone says that nothing was posted under the name.
var ErrNone = errors.New("no points were posted under this name")

// Follow writes the header, all lines, and those that come, until ctx ends or the writer fails.
func (f *Feeds) Follow(ctx context.Context, name string, to io.Writer, flush func() error) error {
	f.mu.Lock()
	at := f.find(name)
	if at < 0 {
		f.mu.Unlock()
		return ErrNone
	}
	one := f.feeds[at]
	f.mu.Unlock()
	if _, err := io.WriteString(to, Header); err != nil {
		return err
	}
	for written := 0; ; {
		f.mu.Lock()
		text, changed := one.text[written:], one.changed
		f.mu.Unlock()
		if _, err := to.Write(text); err != nil {
			return err
		}
		if err := flush(); err != nil {
			return err
		}
		written += len(text)
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}
