package ignite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// persistentObserver is of members that have their data on disks. Their cluster begins as an
// inactive one, since only an administrator knows when all members are there that are to be: its
// baseline.
type persistentObserver struct {
	*observer
	lookers []*looker // of its own, as a sample doesn't wait
	// first are those who look as the user that a new cluster knows; none where it asks for no password.
	first []*looker
	own   *stores.Credentials
	files []*files
}

func newPersistentObserver(o *observer, cfg stores.Config) *persistentObserver {
	p := &persistentObserver{observer: o, own: cfg.Credentials}
	who := identity(cfg)
	for i, address := range cfg.Addresses {
		p.lookers = append(p.lookers, &looker{link: newLink(address, who, nil)})
		if takesOver(cfg) {
			p.first = append(p.first, &looker{link: newLink(address, &firstUser, nil)})
		}
		p.files = append(p.files, newFiles(cfg.Names[i], address, who))
	}
	return p
}

// lookTimeout bounds asking a member what it sees.
const lookTimeout = time.Second

// Repair activates the cluster once all members see each other, and then gives the run's password to
// its user.
func (p *persistentObserver) Repair(ctx context.Context, timeout time.Duration) (did string, err error) {
	deadline := stores.DeadlineOf(ctx, timeout)
	active, err := agreed(ctx, p.lookers, timeout)
	as, isFirst := p.lookers, false
	if p.first != nil && codeOf(err) == stores.CodeUnauthorized {
		active, err = agreed(ctx, p.first, timeout)
		as, isFirst = p.first, true
	}
	switch {
	case err != nil: // Sample tells of it
		return "", nil
	case !active:
		return activation.by(ctx, as[0].link, deadline)
	case isFirst:
		defer closeAll(p.first)
		did, err := passwordFor(p.own).by(ctx, as[0].link, deadline)
		return did, unquoted(err)
	}
	return "", nil
}

// errApart is of members that don't all see each other, or see other states of the cluster.
var errApart = errors.New("the members are not one cluster yet")

// agreed asks all members whether their cluster is active.
func agreed(ctx context.Context, members []*looker, timeout time.Duration) (active bool, err error) {
	for i, member := range members {
		seen, err := member.look(stores.DeadlineOf(ctx, min(timeout, lookTimeout)))
		switch {
		case err != nil:
			return false, err
		case seen.members < len(members), i > 0 && seen.active != active:
			return false, errApart
		}
		active = seen.active
	}
	return active, nil
}

func (p *persistentObserver) Close() error {
	for _, member := range p.files {
		member.stop() // all at once, as each may take a moment
	}
	closeAll(p.lookers)
	closeAll(p.first)
	for _, member := range p.files {
		member.close()
	}
	return p.observer.Close()
}

func closeAll(lookers []*looker) {
	for _, member := range lookers {
		member.close()
	}
}

// repair is what a member is asked for that may take seconds.
type repair struct {
	task, did string
	request   func(b *builder, number int64)
}

var activation = repair{"activate the cluster", "activated the cluster, with all members in its baseline", appendActivate}

// by has a member do it, over a connection of its own.
func (r repair) by(ctx context.Context, like *link, deadline time.Time) (did string, err error) {
	err = exchange(ctx, newLink(like.address, like.who, nil), deadline, r.request)
	var cut *conn.UnsentError
	switch {
	case err == nil:
		return r.did, nil
	case errors.As(err, &cut), outcome(stores.Update, err).Outcome == stores.Failed:
	default:
		did = stores.Unanswered(r.did)
	}
	return did, fmt.Errorf("ignite: %s: %w", r.task, err)
}

// exchange ends the connection after it.
func exchange(ctx context.Context, l *link, deadline time.Time, request func(*builder, int64)) error {
	defer l.close()
	if _, err := l.ready(deadline); err != nil {
		return &conn.UnsentError{Err: err}
	}
	conn := l.Conn()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	var asked builder
	request(&asked, l.number())
	_, err := l.exchange(asked.out)
	return err
}
