package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// maxRedirects is how often an operation goes where a member sends it. Two members that each take
// the other one for the owner would send it to and fro.
const maxRedirects = 3

// clusterSession has one thread's connections to the members, and its buffers.
type clusterSession struct {
	request
	slotTable *slotTable
	links     *links
	members   []*link // to each member; nil before it is needed
	asking    pipeline
}

func (s *clusterSession) Close() error {
	for _, link := range s.members {
		if link != nil {
			link.drop()
		}
	}
	return nil
}

// Do runs the operation on the member that has the record's slot.
func (s *clusterSession) Do(op *stores.Op) error {
	if err := s.prepare(op); err != nil {
		return err
	}
	s.commands.Reset()
	switch op.Kind {
	case stores.Read:
		return s.read(op)
	case stores.Delete:
		s.unlink()
		if failure := s.send(op); failure != nil {
			return failure
		}
		if removed, err := s.answers.Of(0).Number(); err == nil && removed == 0 {
			return stores.NotFound("redis")
		}
		return nil
	default:
		s.hset(op)
		if failure := s.send(op); failure != nil {
			return failure
		}
		return nil
	}
}

func (s *clusterSession) read(op *stores.Op) error {
	s.get(op, s.name)
	if failure := s.send(op); failure != nil {
		failure.Outcome = stores.Failed // whatever went wrong, nothing came back
		return failure
	}
	op.Result = op.Result[:0]
	found, err := take(op, s.answers.Of(0))
	if err != nil {
		return err
	}
	if !found {
		return stores.NotFound("redis")
	}
	return nil
}

// send sends the command to the member that has the slot. One that has it no more says who has,
// and has not carried the command out: it is sent there.
func (s *clusterSession) send(op *stores.Op) *stores.Error {
	slot := slotOf(s.name)
	op.Shard = s.slotTable.shards.Of(slot)
	link, over, failure := s.find(op, slot)
	for redirects := 0; failure == nil; {
		s.answers.Reset()
		sent, err := link.run(&s.pipeline, op, over)
		if !sent && errors.Is(err, conn.ErrOver) {
			if !time.Now().Before(op.Deadline) {
				return stores.Late("redis")
			}
			link, over, failure = s.find(op, slot)
			continue
		}
		var refused error
		if s.answers.Len() > 0 {
			refused = s.answers.Of(0).Err()
		}
		if err == nil && refused == nil {
			return nil
		}
		s.slotTable.inquiry.consider(&s.answers, err)
		to, ask, redirected := redirection(refused)
		member, known := s.slotTable.now.Load().places[to]
		if err != nil || !redirected || !known || redirects == maxRedirects {
			return failureOf(refused, sent, err)
		}
		redirects++
		link, over = s.linkTo(member), nil
		if ask {
			return s.ask(op, link)
		}
	}
	return failure
}

// Connect makes the session's own connections to all primaries.
func (s *clusterSession) Connect(ctx context.Context) error {
	members, err := s.slotTable.whole(ctx)
	if err != nil {
		return err
	}
	for _, member := range members {
		if own := s.linkTo(member).own; own != nil {
			if err := own.Connect(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// ask sends the command to a member that is about to get the slot, for once.
func (s *clusterSession) ask(op *stores.Op, link *link) *stores.Error {
	s.asking.commands.Reset()
	s.asking.commands.Command("ASKING")
	s.asking.commands.Append(&s.commands)
	s.asking.answers.Reset()
	sent, err := link.run(&s.asking, op, nil)
	var refused error
	if s.asking.answers.Len() > 1 {
		refused = s.asking.answers.Of(1).Err()
	}
	if err != nil || refused != nil {
		return failureOf(refused, sent, err)
	}
	s.answers.Take(&s.asking.answers, 1)
	return nil
}

// failureOf is what is known of a command that didn't succeed. One that is answered with an error
// was not carried out. Without an answer nobody knows, unless nothing was sent.
func failureOf(refused error, sent bool, err error) *stores.Error {
	switch {
	case refused != nil:
		return failed(codeOf(refused), refused)
	case sent:
		return unknown(codeOf(err), err)
	}
	return failed(codeOf(err), err)
}

// redirection reads "MOVED slot host:port", and ASK, which is for one command while a slot moves.
func redirection(err error) (to string, ask, redirected bool) {
	if err == nil {
		return "", false, false
	}
	words := strings.Fields(err.Error())
	if len(words) != 3 || words[0] != "MOVED" && words[0] != "ASK" {
		return "", false, false
	}
	return words[2], words[0] == "ASK", true
}

// find returns when there is a member with the slot to send to, and what is closed when another one has
// it. Nothing is sent when it fails. After a failed attempt to connect it waits, unless another one has
// the slot meanwhile.
func (s *clusterSession) find(op *stores.Op, slot int) (*link, <-chan struct{}, *stores.Error) {
	for {
		now := s.slotTable.now.Load()
		member := int(now.owners[slot])
		var to *link // without an owner there is nobody to try
		if member != nobody {
			if to = s.linkTo(member); to.wait() == 0 {
				return to, now.over, nil
			}
		}
		s.slotTable.inquiry.hurry()
		if s.links.await(op, now.over, to) {
			continue
		}
		if member == nobody {
			return nil, nil, failed(stores.CodeNoPrimary, s.slotTable.lost())
		}
		return nil, nil, failed(stores.CodeNoConnection, fmt.Errorf("no connection to %s, which has slot %d", s.slotTable.members[member], slot))
	}
}

func (s *clusterSession) linkTo(member int) *link {
	if s.members[member] == nil {
		s.members[member] = s.links.to(s.slotTable.members[member])
	}
	return s.members[member]
}
