package ignite

import (
	"encoding/binary"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// A batch is a request to each member, with the records that it owns.
const (
	batchRecords = 100
	batchBytes   = 1 << 20
)

// share is one member's part of a batch.
type share struct {
	request builder
	counted int // where the number of records is
	count   int
}

// MaxBatch says how many records, and bytes of them, InsertAll takes.
func (s *session) MaxBatch() (records, bytes int) { return batchRecords, batchBytes }

// InsertAll sends each member its records before it reads the first answer.
func (s *session) InsertAll(ops []stores.Op) error {
	deadline := ops[0].Deadline
	if !time.Now().Before(deadline) {
		return stores.Late("ignite")
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
		if err := s.open(ops[i].Table, deadline); err != nil {
			return failed(codeOf(err), err)
		}
		member, err := s.route(hashOf(ops[i].Key), deadline)
		if err != nil {
			return failed(codeOf(err), err)
		}
		part := &s.shares[member]
		if part.count == 0 {
			appendWriting(&part.request, kindPutAll, s.links[member].number(), s.table.id, s.ttl)
			part.counted = len(part.request.out)
			part.request.int32(0)
		}
		part.request.bytes(s.key)
		part.request.bytes(s.value)
		part.count++
	}
	return nil
}

func (s *session) sendShares() error {
	for member := range s.shares {
		if part := &s.shares[member]; part.count > 0 {
			binary.LittleEndian.PutUint32(part.request.out[part.counted:], uint32(part.count))
			part.request.end()
			if err := s.links[member].send(part.request.out); err != nil {
				return err
			}
		}
	}
	for member := range s.shares {
		if s.shares[member].count > 0 {
			if _, err := s.links[member].answer(); err != nil {
				return err
			}
		}
	}
	return nil
}
