package redis

import (
	"context"
	"errors"
	"fmt"
	"time"

	client "github.com/redis/go-redis/v9"

	"github.com/kvbench/kvbench/internal/stores"
)

// session has one thread's connection to the primary, and its buffers. The client has encoded a
// request before a call returns.
type session struct {
	lookout  *lookout
	replicas int // that have to acknowledge a write
	at       *sighting
	peer     *peer // to it

	table  string
	prefix string
	index  string
	name   []byte
	args   []any // of a command that has many
}

func (s *session) Close() error {
	if s.peer != nil {
		s.peer.drop()
	}
	return nil
}

// Do runs the operation on the primary.
func (s *session) Do(op *stores.Op) error {
	if !time.Now().Before(op.Deadline) {
		return failed(codeDeadline, errors.New("the deadline passed before the request"))
	}
	if err := s.prepare(op); err != nil {
		return err
	}
	ctx, cancel := context.WithDeadline(context.Background(), op.Deadline)
	defer cancel()
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

// prepare makes the names of what the operation is about.
func (s *session) prepare(op *stores.Op) (err error) {
	switch op.Kind {
	case stores.Read, stores.Delete:
	case stores.Insert, stores.Update:
		if len(op.Values) == 0 {
			return failed(codeBadOp, errors.New("a record without fields"))
		}
	case stores.Scan:
		if op.Count < 1 {
			return failed(codeBadOp, fmt.Errorf("a scan of %d records", op.Count))
		}
	default:
		return failed(codeBadOp, fmt.Errorf("no %v can be done", op.Kind))
	}
	if op.Table != s.table || s.table == "" {
		if s.prefix, err = prefixOf(op.Table); err != nil {
			s.table = ""
			return failed(codeBadOp, err)
		}
		s.table, s.index = op.Table, s.prefix+indexName
	}
	if s.name, err = appendName(s.name[:0], s.prefix, op.Key); err != nil {
		return failed(codeBadOp, err)
	}
	return nil
}

// find returns when there is a primary to send to. Nothing is sent when it fails. After a failed
// attempt to connect it waits, unless another one is chosen meanwhile.
func (s *session) find(ctx context.Context) error {
	for {
		now := s.lookout.now.Load()
		if now != s.at {
			_ = s.Close()
			s.at, s.peer = now, newPeer(now.address)
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

// run sends the commands at once, and returns when their answers are there. Its error is of the
// network: an answer that is an error is in its command. sent says whether they can have arrived.
func (s *session) run(ctx context.Context, commands ...client.Cmder) (sent bool, err error) {
	if len(commands) == 1 {
		err = s.peer.use().Process(ctx, commands[0])
	} else {
		pipe := s.peer.use().Pipeline()
		for _, command := range commands {
			_ = pipe.Process(ctx, command) // keeps it until Exec
		}
		_, err = pipe.Exec(ctx)
		for _, command := range commands {
			// Exec's error is the first one, which may hide that the rest got no answer.
			if other := command.Err(); other != nil && !isReply(other) {
				err = other
			}
		}
	}
	sent = s.peer.after(err)
	if err != nil && isReply(err) {
		err = nil
	}
	return sent, err
}
