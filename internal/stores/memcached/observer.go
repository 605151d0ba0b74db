package memcached

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// observer asks each member for its statistics, over a connection of its own.
type observer struct {
	members []*watched
}

type watched struct {
	name string
	mu   sync.Mutex // samples may overlap
	link *link
}

// maxStats bounds the lines of an answer; memcached 1.6 has some 120.
const maxStats = 10_000

// Observe connects when it is first asked.
func Observe(cfg stores.Config) (stores.Observer, error) {
	if len(cfg.Addresses) != len(cfg.Names) {
		return nil, fmt.Errorf("memcached: %d addresses for %d members", len(cfg.Addresses), len(cfg.Names))
	}
	o := &observer{}
	for i, name := range cfg.Names {
		o.members = append(o.members, &watched{name: name, link: newLink(cfg.Addresses[i])})
	}
	return o, nil
}

// Sample asks all members at once.
func (o *observer) Sample(ctx context.Context, timeout time.Duration) []stores.MemberState {
	deadline := time.Now().Add(timeout)
	if ends, ok := ctx.Deadline(); ok && ends.Before(deadline) {
		deadline = ends
	}
	states := make([]stores.MemberState, len(o.members))
	var all sync.WaitGroup
	for i, member := range o.members {
		all.Go(func() { states[i] = member.state(deadline) })
	}
	all.Wait()
	return states
}

func (o *observer) Close() error {
	for _, member := range o.members {
		member.mu.Lock()
		member.link.drop()
		member.mu.Unlock()
	}
	return nil
}

func (w *watched) state(deadline time.Time) stores.MemberState {
	w.mu.Lock()
	defer w.mu.Unlock()
	// A look at a fixed time waits for no better one.
	w.link.next = time.Time{}
	items, err := w.ask(deadline)
	if err != nil {
		w.link.drop()
		return stores.MemberState{Name: w.name, Role: stores.MemberUnknown, Error: codeOf(err)}
	}
	return stores.MemberState{Name: w.name, Role: stores.MemberAlike, Healthy: true, Records: &items}
}

// ask returns how many items the member has.
func (w *watched) ask(deadline time.Time) (items uint64, err error) {
	if !time.Now().Before(deadline) {
		return 0, context.DeadlineExceeded
	}
	if err := w.link.ready(deadline); err != nil {
		return 0, err
	}
	if _, err := w.link.conn.Write([]byte("stats\r\n")); err != nil {
		return 0, err
	}
	known := false
	for range maxStats {
		line, err := readLine(w.link.in)
		if err != nil {
			return 0, err
		}
		if string(line) == "END" {
			if !known {
				return 0, errors.New("the statistics lack curr_items")
			}
			return items, nil
		}
		if text, ok := bytes.CutPrefix(line, []byte("STAT curr_items ")); ok {
			if items, err = strconv.ParseUint(string(text), 10, 64); err != nil {
				return 0, errProtocol
			}
			known = true
		}
	}
	return 0, errProtocol
}
