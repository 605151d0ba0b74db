package ignite

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// persistentObserver is of members that have their data on disks. Their cluster begins as an
// inactive one, since only an administrator knows when all members are there that are to be: its
// baseline.
type persistentObserver struct {
	*observer
	lookers []*looker // of its own, as a sample doesn't wait
	files   []*files
}

func newPersistentObserver(o *observer, addresses []string, encryption *tls.Config) *persistentObserver {
	p := &persistentObserver{observer: o}
	for i, address := range addresses {
		p.lookers = append(p.lookers, &looker{link: newLink(address, encryption, nil)})
		p.files = append(p.files, newFiles(o.members[i].name, address, encryption))
	}
	return p
}

// lookTimeout bounds asking a member what it sees.
const lookTimeout = time.Second

// Repair activates the cluster once all members see each other.
func (p *persistentObserver) Repair(ctx context.Context, timeout time.Duration) (did string, err error) {
	deadline := stores.DeadlineOf(ctx, timeout)
	for _, member := range p.lookers {
		seen, err := member.look(stores.DeadlineOf(ctx, min(timeout, lookTimeout)))
		if err != nil || seen.active || seen.members < len(p.lookers) {
			return "", nil // Sample tells of it
		}
	}
	did = "activated the cluster, with all members in its baseline"
	err = activate(ctx, p.lookers[0].link, deadline)
	var cut *unsent
	switch {
	case err == nil:
		return did, nil
	case errors.As(err, &cut), outcome(stores.Update, err).Outcome == stores.Failed:
		did = ""
	default:
		did = stores.Unanswered(did)
	}
	return did, fmt.Errorf("ignite: activate the cluster: %w", err)
}

func (p *persistentObserver) Close() error {
	for _, member := range p.files {
		member.stop() // all at once, as each may take a moment
	}
	for i, member := range p.lookers {
		member.close()
		p.files[i].close()
	}
	return p.observer.Close()
}

// activate may take seconds, over a connection of its own.
func activate(ctx context.Context, like *link, deadline time.Time) error {
	l := newLink(like.address, like.tls, nil)
	defer l.drop()
	if _, err := l.ready(deadline); err != nil {
		return &unsent{err}
	}
	conn := l.conn
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	var request builder
	appendActivate(&request, l.number())
	_, err := l.exchange(request.out)
	return err
}
