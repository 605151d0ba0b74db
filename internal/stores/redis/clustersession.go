package redis

import (
	"context"
	"fmt"
	"strings"
	"time"

	client "github.com/redis/go-redis/v9"

	"github.com/kvbench/kvbench/internal/stores"
)

// maxRedirects is how often an operation goes where a member sends it. Two members that each take
// the other one for the owner would send it to and fro.
const maxRedirects = 3

// clusterSession has one thread's connections to the members, and its buffers.
type clusterSession struct {
	request
	atlas *atlas
	peers []*peer // to each member; nil before it is needed
}

func (s *clusterSession) Close() error {
	for _, peer := range s.peers {
		if peer != nil {
			peer.drop()
		}
	}
	return nil
}

// Do runs the operation on the member that has the record's slot.
func (s *clusterSession) Do(op *stores.Op) error {
	ctx, cancel, err := until(op.Deadline)
	if err != nil {
		return err
	}
	defer cancel()
	if err := s.prepare(op); err != nil {
		return err
	}
	switch op.Kind {
	case stores.Read:
		return s.read(ctx, op)
	case stores.Delete:
		answer, failure := s.send(ctx, client.NewCmd(ctx, "UNLINK", s.name))
		if failure != nil {
			return failure
		}
		if removed, err := answer.Int(); err == nil && removed == 0 {
			return notFound()
		}
		return nil
	default:
		if _, failure := s.send(ctx, client.NewCmd(ctx, s.hset(op)...)); failure != nil {
			return failure
		}
		return nil
	}
}

func (s *clusterSession) read(ctx context.Context, op *stores.Op) error {
	op.Result = op.Result[:0]
	answer, failure := s.send(ctx, get(ctx, op, s.name))
	if failure != nil {
		failure.Outcome = stores.Failed // whatever went wrong, nothing came back
		return failure
	}
	found, err := take(op, answer)
	if err != nil {
		return err
	}
	if !found {
		return notFound()
	}
	return nil
}

// send sends a command to the member that has the slot. One that has it no more says who has,
// and has not carried the command out: it is sent there.
func (s *clusterSession) send(ctx context.Context, command *client.Cmd) (*client.Cmd, *stores.Error) {
	peer, failure := s.find(ctx, slotOf(s.name))
	if failure != nil {
		return nil, failure
	}
	asking := false
	for redirects := 0; ; redirects++ {
		commands := []client.Cmder{command}
		if asking {
			commands = []client.Cmder{client.NewCmd(ctx, "ASKING"), command}
		}
		sent, err := peer.run(ctx, commands...)
		if err == nil && command.Err() == nil {
			return command, nil
		}
		to, ask, redirected := redirection(command.Err())
		member, known := s.atlas.now.Load().places[to]
		if err != nil || !redirected || !known || redirects == maxRedirects {
			return nil, failureOf(command, sent, err)
		}
		peer, asking = s.peerTo(member), ask
		command = client.NewCmd(ctx, command.Args()...)
	}
}

// failureOf is what is known of a command that didn't succeed. One that is answered with an error
// was not carried out. Without an answer nobody knows, unless nothing was sent.
func failureOf(command client.Cmder, sent bool, err error) *stores.Error {
	if refused := command.Err(); isReply(refused) {
		return failed(codeOf(refused), refused)
	}
	if err == nil {
		err = command.Err()
	}
	if sent {
		return unknown(codeOf(err), err)
	}
	return failed(codeOf(err), err)
}

// redirection reads "MOVED slot host:port", and ASK, which is for one command while a slot moves.
func redirection(err error) (to string, ask, redirected bool) {
	if err == nil || !isReply(err) {
		return "", false, false
	}
	words := strings.Fields(err.Error())
	if len(words) != 3 || words[0] != "MOVED" && words[0] != "ASK" {
		return "", false, false
	}
	return words[2], words[0] == "ASK", true
}

// find returns when there is a member with the slot to send to. Nothing is sent when it fails.
// After a failed attempt to connect it waits, unless another one has the slot meanwhile.
func (s *clusterSession) find(ctx context.Context, slot int) (*peer, *stores.Error) {
	for {
		now := s.atlas.now.Load()
		member := int(now.owners[slot])
		var pause <-chan time.Time // without an owner there is nobody to try
		if member != nobody {
			peer := s.peerTo(member)
			if peer.next.IsZero() {
				return peer, nil
			}
			pause = time.After(time.Until(peer.next))
		}
		select {
		case <-now.over:
		case <-pause:
			return s.peers[member], nil
		case <-ctx.Done():
			if member == nobody {
				return nil, failed(codeNoPrimary, s.atlas.lost())
			}
			return nil, failed(codeDeadline, fmt.Errorf("no connection to %s, which has slot %d", s.atlas.members[member], slot))
		}
	}
}

func (s *clusterSession) peerTo(member int) *peer {
	if s.peers[member] == nil {
		s.peers[member] = newPeer(s.atlas.members[member], s.atlas.credentials)
	}
	return s.peers[member]
}
