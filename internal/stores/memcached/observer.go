package memcached

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
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
		o.members = append(o.members, &watched{name: name, link: newLink(cfg.Addresses[i], cfg.Credentials)})
	}
	return o, nil
}

// Sample asks all members at once.
func (o *observer) Sample(ctx context.Context, timeout time.Duration) []stores.MemberState {
	deadline := stores.DeadlineOf(ctx, timeout)
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
	w.link.redial.Hurry()
	items, process, err := w.ask(deadline)
	if err != nil {
		w.link.drop()
		return stores.MemberState{Name: w.name, Role: stores.MemberUnknown, Error: stores.CutError(codeOf(err) + ": " + err.Error())}
	}
	return stores.MemberState{Name: w.name, Role: stores.MemberAlike, Healthy: true, Records: &items, Process: process}
}

// ask returns how many items the member has, and which process has them.
func (w *watched) ask(deadline time.Time) (items, process uint64, err error) {
	found, process, err := w.stats(deadline, "curr_items")
	if err != nil {
		return 0, 0, err
	}
	if items, err = strconv.ParseUint(found[0], 10, 64); err != nil {
		return 0, 0, errProtocol
	}
	return items, process, nil
}

// stats returns the values of these statistics, in their order, and the process that they are of.
func (w *watched) stats(deadline time.Time, names ...string) (found []string, process uint64, err error) {
	if !time.Now().Before(deadline) {
		return nil, 0, context.DeadlineExceeded
	}
	if err := w.link.ready(deadline); err != nil {
		return nil, 0, err
	}
	if _, err := w.link.conn.Write([]byte("stats\r\n")); err != nil {
		return nil, 0, err
	}
	found = make([]string, len(names))
	var of begun
	for range maxStats {
		line, err := readLine(w.link.in)
		if err != nil {
			return nil, 0, err
		}
		if string(line) == "END" {
			if i := slices.Index(found, ""); i >= 0 {
				return nil, 0, fmt.Errorf("the statistics lack %s", names[i])
			}
			return found, of.process(), nil
		}
		name, value, _ := strings.Cut(strings.TrimPrefix(string(line), "STAT "), " ")
		of.hear(name, value)
		if i := slices.Index(names, name); i >= 0 {
			found[i] = value
		}
	}
	return nil, 0, errProtocol
}

// begun tells a process by when it began: its time less its time up, which memcached keeps without
// looking at the clock again. Its pid alone doesn't tell it from the next one: each is the first
// process of its container.
type begun struct{ pid, time, uptime string }

func (b *begun) hear(name, value string) {
	switch name {
	case "pid":
		b.pid = value
	case "time":
		b.time = value
	case "uptime":
		b.uptime = value
	}
}

// process is 0 where the member doesn't say all of it.
func (b *begun) process() uint64 {
	now, err := strconv.ParseInt(b.time, 10, 64)
	if err != nil {
		return 0
	}
	up, err := strconv.ParseInt(b.uptime, 10, 64)
	if err != nil || b.pid == "" {
		return 0
	}
	return stores.ProcessOf(fmt.Sprintf("%s of %d", b.pid, now-up))
}
