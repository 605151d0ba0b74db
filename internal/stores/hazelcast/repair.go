package hazelcast

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

const (
	kindGetCPMembers    = 0x201900
	kindPromoteToMember = 0x201A00
	kindRemoveCPMember  = 0x201B00
)

// Repair takes in again a member that came back. Hazelcast's open source doesn't keep a CP
// member's log: after its end it is another member, and the group counts with the one that is
// gone. The administrator is to remove that one and to promote the other:
// https://docs.hazelcast.com/hazelcast/5.4/cp-subsystem/management
func (o *cpObserver) Repair(ctx context.Context, timeout time.Duration) (did string, err error) {
	deadline := stores.DeadlineOf(ctx, timeout)
	links := o.reach(deadline)
	defer func() {
		for _, l := range links {
			if l != nil {
				l.drop()
			}
		}
	}()
	defer interrupt(ctx, links)()
	if slices.Contains(links, nil) {
		return "", nil // while a member is away nobody tells who the CP members are
	}
	by, held, err := cpMembers(links)
	if by == nil {
		return "", err // with none, the group isn't made yet
	}
	processes := o.processes(links)
	if !slices.ContainsFunc(processes, func(p process) bool { return !p.outside }) {
		return "", makeGroup(by)
	}
	plan := planRepair(held, processes, GroupSize(len(o.members)))
	if plan.promote < 0 {
		return "", nil
	}
	name := links[plan.promote].said.member
	if plan.remove != (uuid{}) {
		if o.asked[name] {
			return "", nil // its own promotion is under way
		}
		// A CP member whose metrics don't say so yet is promoted already. For another process there
		// is no place while the one that is gone has its address.
		err := o.promote(ctx, links[plan.promote], deadline)
		if said := (*serverError)(nil); err == nil || !errors.As(err, &said) || said.number != illegalState {
			return "", err
		}
		err = ask(by, func(b *builder, number int64) {
			putUUID(b.begin(kindRemoveCPMember, number, noPartition, bytesUUID), plan.remove)
			b.end()
		})
		did = told("a CP member that is gone was removed", err)
		if err != nil {
			return did, fmt.Errorf("hazelcast: remove the CP member that is gone: %w", err)
		}
	}
	o.asked[name] = true // before it is known to have worked: an error may come too late
	member := o.members[plan.promote].name
	err = o.promote(ctx, links[plan.promote], deadline)
	if promoted := told(member+" was promoted to a CP member", err); did == "" || promoted == "" {
		did += promoted
	} else {
		did += ", and " + promoted
	}
	if err != nil {
		return did, fmt.Errorf("hazelcast: promote %s: %w", member, err)
	}
	return did, nil
}

// told is what to say of something that was asked for, by how that ended; "" if it was not done.
func told(did string, err error) string {
	var cut *conn.UnsentError
	var said *serverError
	switch {
	case err == nil:
		return did
	case errors.As(err, &cut), errors.As(err, &said) && (said.number == illegalState || refusals[said.number]):
		return ""
	}
	return stores.Unanswered(did)
}

// makeGroup makes the raft group, which the first object would do otherwise: before, nobody leads, and
// nothing says that the store is ready. Where it is made already nothing happens.
func makeGroup(by *link) error {
	return ask(by, func(b *builder, number int64) { appendCreateGroup(b, number, "kvbench") })
}

// promote asks a member to become a CP member, over a new connection: the old one may owe an answer.
func (o *cpObserver) promote(ctx context.Context, l *link, deadline time.Time) error {
	l.drop()
	if _, err := l.ready(minTime(deadline, time.Now().Add(connectTimeout))); err != nil {
		return &conn.UnsentError{Err: err}
	}
	if err := l.Conn().SetDeadline(deadline); err != nil {
		return &conn.UnsentError{Err: err}
	}
	defer interrupt(ctx, []*link{l})()
	return ask(l, func(b *builder, number int64) { appendPlain(b, kindPromoteToMember, number) })
}

// reach connects to the members, and leaves out those that don't introduce themselves at once. A
// group without a leader answers late, which the deadline is for.
func (o *cpObserver) reach(deadline time.Time) []*link {
	links := make([]*link, len(o.members))
	var all sync.WaitGroup
	for i, member := range o.members {
		all.Go(func() {
			l := newLink(member.link.address, member.link.cluster)
			if _, err := l.ready(minTime(deadline, time.Now().Add(connectTimeout))); err == nil && l.Conn().SetDeadline(deadline) == nil {
				links[i] = l
			}
		})
	}
	all.Wait()
	return links
}

// interrupt ends what the connections wait for when ctx ends, until it is called off.
func interrupt(ctx context.Context, links []*link) (callOff func() bool) {
	var open []net.Conn
	for _, l := range links {
		if l != nil {
			open = append(open, l.Conn())
		}
	}
	return context.AfterFunc(ctx, func() {
		for _, conn := range open {
			_ = conn.SetDeadline(time.Unix(1, 0))
		}
	})
}

// process is a member that answers: its name, and whether it said that it isn't in the group.
type process struct {
	name    uuid
	outside bool
}

// processes are the members', in their order. What a member is in the group its metrics say.
func (o *cpObserver) processes(links []*link) []process {
	found := make([]process, len(links))
	for i, l := range links {
		o.members[i].tidings.listen()
		said := o.members[i].tidings.latest(l.said.member)
		found[i] = process{name: l.said.member, outside: said.of == l.said.member && said.role == ""}
	}
	return found
}

// cpMember is a CP member by its name as one, and by that of the process that has its address now.
type cpMember struct{ cp, process uuid }

// repair is one step: whom to remove, if anybody, and whom to promote, -1 being nobody.
type repair struct {
	remove  uuid
	promote int
}

// planRepair promotes a process that is no CP member, in the place of the one that had its address,
// or any where the group has fewer than so many members. The first CP members have their processes'
// names, and those that were promoted have others, as those have whose process ended: which of both
// it is, only the process knows.
func planRepair(held []cpMember, processes []process, size int) repair {
	for i, p := range processes {
		at := slices.IndexFunc(held, func(m cpMember) bool { return m.process == p.name })
		switch {
		case !p.outside:
		case at < 0 && len(held) < size:
			return repair{promote: i}
		case at >= 0 && held[at].cp != p.name:
			return repair{remove: held[at].cp, promote: i}
		}
	}
	return repair{promote: -1}
}

// cpMembers asks all members at once who the CP members are, and returns whoever is the first to
// know: one that is new waits until somebody tells it.
func cpMembers(links []*link) (by *link, held []cpMember, err error) {
	var all sync.WaitGroup
	answers := make([][]cpMember, len(links))
	failures := make([]error, len(links))
	answered := make(chan int, len(links))
	for i, l := range links {
		all.Go(func() {
			request := builder{}
			appendPlain(&request, kindGetCPMembers, l.number())
			m, err := l.exchange(request.out)
			if err == nil {
				answers[i], err = decodeCPMembers(m)
			}
			failures[i] = err
			answered <- i
		})
	}
	defer all.Wait()
	for range links {
		i := <-answered
		if failures[i] != nil || len(answers[i]) == 0 {
			continue
		}
		for _, other := range links {
			if other != links[i] {
				_ = other.Conn().SetDeadline(time.Unix(1, 0)) // it isn't waited for
			}
		}
		return links[i], answers[i], nil
	}
	return nil, nil, errors.Join(failures...)
}

func decodeCPMembers(m *message) ([]cpMember, error) {
	if len(m.frames) < 2 || len(m.frames[1].content)%(2*bytesUUID) != 0 {
		return nil, fmt.Errorf("%w: a list of CP members", errProtocol)
	}
	var held []cpMember
	for at := 0; at < len(m.frames[1].content); at += 2 * bytesUUID {
		cp, _ := uuidAt(m.frames[1].content, at)
		member, _ := uuidAt(m.frames[1].content, at+bytesUUID)
		held = append(held, cpMember{cp: cp, process: member})
	}
	return held, nil
}

func ask(l *link, request func(b *builder, number int64)) error {
	b := builder{}
	request(&b, l.number())
	_, err := l.exchange(b.out)
	return err
}
