package redis

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/stores"
)

// update writes the fields, and makes the record where there is none, as YCSB's client does; it
// is in no scan then.
func (s *session) update(op *stores.Op) error {
	s.commands.Reset()
	s.hset(op)
	return s.write(op)
}

// insert writes the record and its place in the index together.
func (s *session) insert(op *stores.Op) error {
	s.commands.Reset()
	s.commands.Command("MULTI")
	s.hset(op)
	s.beginZADD(1)
	s.zadd(op)
	s.commands.Command("EXEC")
	return s.write(op)
}

func (s *session) remove(op *stores.Op) error {
	s.commands.Reset()
	s.commands.Command("MULTI")
	s.unlink()
	s.zrem(op)
	s.commands.Command("EXEC")
	if err := s.write(op); err != nil {
		return err
	}
	if results, ok := s.answers.Of(3).List(); ok && results.Left() == 2 {
		first, _ := results.Next()
		if removed, err := first.Number(); err == nil && removed == 0 {
			return stores.NotFound("redis")
		}
	}
	return nil
}

// write sends what changes a record and, in the same pipeline, waits for the replicas.
//
// A command that is answered with an error was not carried out, and neither is a transaction of
// which one was refused, once it was begun. Without an answer nobody knows, unless nothing was sent.
func (s *session) write(op *stores.Op) error {
	changes := s.commands.Commands()
	var patience int64
	if s.replicas > 0 {
		patience = waitMillis(op.Deadline)
		s.commands.Begin(3)
		s.commands.Text("WAIT")
		s.commands.Number(int64(s.replicas))
		s.commands.Number(patience)
	}
	sent, err := s.run(op)
	// Of answers after which the connection ended, the first ones count: what they say is so.
	for i := range min(changes, s.answers.Len()) {
		refused := s.answers.Of(i).Err()
		if refused == nil {
			continue
		}
		if i == 0 && changes > 1 && !s.refusedAll(1, changes-1) {
			return unknown(codeOf(refused), refused) // without MULTI each is carried out by itself
		}
		return failed(codeOf(refused), refused)
	}
	switch {
	case err != nil && !sent:
		return failed(codeOf(err), err)
	case err != nil:
		return unknown(codeOf(err), err)
	}
	if err := s.inTransaction(changes - 1); err != nil {
		return unknown(codeOf(err), err)
	}
	if s.replicas == 0 {
		return nil
	}
	got, err := s.answers.Of(changes).Number()
	if err != nil {
		return unknown(codeOf(err), err)
	}
	if got < int64(s.replicas) {
		s.discovery.inquiry.hurry() // the others may have another primary by now
		return unknown(codeNotReplicated, fmt.Errorf("%d replicas have the write, not %d, after %d ms", got, s.replicas, patience))
	}
	return nil
}

// refusedAll says that those commands are answered with an error, each of them.
func (s *session) refusedAll(from, to int) bool {
	for i := from; i < to; i++ {
		if i >= s.answers.Len() || s.answers.Of(i).Err() == nil {
			return false
		}
	}
	return true
}

// inTransaction is the error of a command that failed when it was carried out, beside others that
// did not.
func (s *session) inTransaction(last int) error {
	results, ok := s.answers.Of(last).List()
	if !ok {
		return nil
	}
	for result, more := results.Next(); more; result, more = results.Next() {
		if err := result.Err(); err != nil {
			return err
		}
	}
	return nil
}
