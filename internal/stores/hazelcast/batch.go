package hazelcast

import (
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// A batch is as many requests at once, those of each member behind each other.
const (
	batchRecords = 100
	batchBytes   = 1 << 20
)

// share is one member's part of a batch.
type share struct {
	request builder
	count   int
}

// MaxBatch says how many records, and bytes of them, InsertAll takes.
func (s *session) MaxBatch() (records, bytes int) { return batchRecords, batchBytes }

// InsertAll sends all records before it reads the first answer.
func (s *session) InsertAll(ops []stores.Op) error {
	deadline := ops[0].Deadline
	if !time.Now().Before(deadline) {
		return stores.Late("hazelcast")
	}
	if err := s.divide(ops, deadline); err != nil {
		return err
	}
	if err := s.sendShares(); err != nil {
		// What is still to come would be taken for the answers to what is sent next.
		for member := range s.shares {
			if s.shares[member].count > 0 {
				s.links[member].drop()
			}
		}
		return batchOutcome(err)
	}
	return nil
}

// divide makes the requests. Nothing is sent yet.
func (s *session) divide(ops []stores.Op, deadline time.Time) error {
	if s.shares == nil {
		s.shares = make([]share, len(s.links))
	}
	for member := range s.shares {
		s.shares[member].request.out, s.shares[member].count = s.shares[member].request.out[:0], 0
	}
	for i := range ops {
		if err := s.serialize(&ops[i]); err != nil {
			return failed(stores.CodeBadOperation, err)
		}
		member, partition, err := s.route(deadline)
		if err != nil {
			return failed(codeOf(err), fmt.Errorf("hazelcast: %w", err))
		}
		part := &s.shares[member]
		appendSet(&part.request, s.links[member].number(), partition, ops[i].Table, s.key, s.value, s.ttl)
		part.count++
	}
	return nil
}

func (s *session) sendShares() error {
	for member := range s.shares {
		if part := &s.shares[member]; part.count > 0 {
			if err := s.links[member].send(part.request.out); err != nil {
				return err
			}
		}
	}
	for member := range s.shares {
		if err := s.links[member].answers(s.shares[member].count); err != nil {
			return err
		}
	}
	return nil
}

// answers reads the answers to the last so many requests, in any order.
func (l *link) answers(count int) error {
	first := l.last - int64(count) + 1
	for count > 0 {
		m, err := l.in.next()
		switch {
		case err != nil:
			return err
		case m.isEvent():
		case m.correlation() < first || m.correlation() > l.last:
			return fmt.Errorf("%w: an answer to request %d after request %d", errProtocol, m.correlation(), l.last)
		case m.kind() == kindError:
			return decodeError(m)
		default:
			count--
		}
	}
	return nil
}
