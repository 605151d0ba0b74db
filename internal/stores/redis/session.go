package redis

import (
	"context"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// session has one thread's connection to the primary, and its buffers. The client has encoded a
// request before a call returns.
type session struct {
	request
	lookout  *lookout
	replicas int // that have to acknowledge a write
	at       *sighting
	peer     *peer // to it
}

func (s *session) Close() error {
	if s.peer != nil {
		s.peer.drop()
	}
	return nil
}

// Do runs the operation on the primary.
func (s *session) Do(op *stores.Op) error {
	ctx, cancel, err := until(op.Deadline)
	if err != nil {
		return err
	}
	defer cancel()
	if err := s.prepare(op); err != nil {
		return err
	}
	if err := s.find(ctx); err != nil {
		return err
	}
	switch op.Kind {
	case stores.Read:
		return s.read(ctx, op)
	case stores.Scan:
		return s.scan(ctx, op)
	case stores.Update:
		return s.update(ctx, op)
	case stores.Insert:
		return s.insert(ctx, op)
	default:
		return s.remove(ctx, op)
	}
}

// find returns when there is a primary to send to. Nothing is sent when it fails. After a failed
// attempt to connect it waits, unless another one is chosen meanwhile.
func (s *session) find(ctx context.Context) error {
	for {
		now := s.lookout.now.Load()
		if now != s.at {
			_ = s.Close()
			s.at, s.peer = now, newPeer(now.address, s.lookout.credentials)
		}
		if now.address != "" && s.peer.next.IsZero() {
			return nil
		}
		var pause <-chan time.Time // without a primary there is nobody to try
		if now.address != "" {
			pause = time.After(time.Until(s.peer.next))
		}
		select {
		case <-now.over:
		case <-pause:
			return nil
		case <-ctx.Done():
			if now.address == "" {
				return failed(codeNoPrimary, s.lookout.nobody())
			}
			return failed(codeDeadline, fmt.Errorf("no connection to the primary %s", now.address))
		}
	}
}
