package redis

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// session has one thread's connection to the primary, and its buffers.
type session struct {
	request
	discovery *discovery
	links     *links
	replicas  int // that have to acknowledge a write
	at        *sighting
	link      *link // to it
}

func (s *session) Close() error {
	if s.link != nil {
		s.link.drop()
	}
	return nil
}

// Do runs the operation on the primary.
func (s *session) Do(op *stores.Op) error {
	if err := s.prepare(op); err != nil {
		return err
	}
	switch op.Kind {
	case stores.Read:
		return s.read(op)
	case stores.Scan:
		return s.scan(op)
	case stores.Update:
		return s.update(op)
	case stores.Insert:
		return s.insert(op)
	default:
		return s.remove(op)
	}
}

// run sends the commands to the primary, once there is one. sent says whether they can have arrived.
func (s *session) run(op *stores.Op) (sent bool, err error) {
	for {
		s.answers.Reset()
		if err := s.find(op); err != nil {
			return false, err
		}
		// An operation that waits when another primary is named goes there.
		if sent, err = s.link.run(&s.pipeline, op, s.at.over); sent || !errors.Is(err, conn.ErrOver) {
			s.discovery.inquiry.consider(&s.answers, err)
			return sent, err
		}
		if !time.Now().Before(op.Deadline) {
			return false, stores.Late("redis")
		}
	}
}

// Connect makes the session's own connection to the primary.
func (s *session) Connect(ctx context.Context) error {
	if err := s.find(&stores.Op{Deadline: stores.DeadlineOf(ctx, adminTimeout)}); err != nil || s.link.own == nil {
		return err
	}
	return s.link.own.Connect(ctx)
}

// find returns when there is a primary to send to. Nothing is sent when it fails. After a failed
// attempt to connect it waits, unless another one is chosen meanwhile.
func (s *session) find(op *stores.Op) error {
	for {
		now := s.discovery.now.Load()
		if now != s.at && !s.follow(now) {
			continue
		}
		if now.address != "" && s.link.wait() == 0 {
			return nil
		}
		s.discovery.inquiry.hurry()
		if s.links.await(op, now.over, s.link) {
			continue
		}
		if now.address == "" {
			return failed(stores.CodeNoPrimary, s.discovery.nobody())
		}
		return failed(stores.CodeNoConnection, fmt.Errorf("no connection to the primary %s", now.address))
	}
}

// follow turns to the primary that was named. It says no if another one is named meanwhile.
func (s *session) follow(now *sighting) bool {
	_ = s.Close()
	s.at, s.link = now, nil
	if now.address != "" {
		s.link = s.links.only(now.address, func() bool { return s.discovery.now.Load() == now })
	}
	if s.link == nil && now.address != "" {
		s.at = nil
		return false
	}
	return true
}
