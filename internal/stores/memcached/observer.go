package memcached

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// observer asks each member for its statistics, over a connection of its own.
type observer struct {
	members []*watched
}

type watched struct {
	name string
	mu   sync.Mutex // samples may overlap
	own  *conn.Own
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
		o.members = append(o.members, &watched{name: name, own: conn.NewOwn(dialerOf(cfg.Addresses[i], cfg.Credentials).Dial, &conn.Counts{})})
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
		member.own.Drop()
		member.mu.Unlock()
	}
	return nil
}

func (w *watched) state(deadline time.Time) stores.MemberState {
	w.mu.Lock()
	defer w.mu.Unlock()
	items, process, err := w.ask(deadline)
	if err != nil {
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
	asked := &statsRequest{names: names, found: make([]string, len(names))}
	if _, err := w.own.DoWithin(context.Background(), time.Until(deadline), asked); err != nil {
		return nil, 0, err
	}
	if i := slices.Index(asked.found, ""); i >= 0 {
		return nil, 0, fmt.Errorf("the statistics lack %s", names[i])
	}
	return asked.found, asked.of.process(), nil
}

// statsRequest asks for some of them.
type statsRequest struct {
	names, found []string
	of           begun
}

// Request asks for all.
func (s *statsRequest) Request() []byte { return []byte("stats\r\n") }

// Answer takes those of the names.
func (s *statsRequest) Answer(in *bufio.Reader) error {
	for range maxStats {
		line, err := readLine(in)
		if err != nil {
			return err
		}
		if string(line) == "END" {
			return nil
		}
		name, value, _ := strings.Cut(strings.TrimPrefix(string(line), "STAT "), " ")
		s.of.hear(name, value)
		if i := slices.Index(s.names, name); i >= 0 {
			s.found[i] = value
		}
	}
	return errProtocol
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
