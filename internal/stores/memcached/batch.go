package memcached

import (
	"errors"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// A batch is as many commands at once, those of each member behind each other.
const (
	batchRecords = 100
	batchBytes   = 1 << 20
)

// share is one member's part of a batch.
type share struct {
	out   []byte
	count int
}

// MaxBatch says how many records, and bytes of them, InsertAll takes.
func (s *session) MaxBatch() (records, bytes int) { return batchRecords, batchBytes }

// InsertAll sends all records before it reads the first answer.
func (s *session) InsertAll(ops []stores.Op) error {
	deadline, now := ops[0].Deadline, time.Now()
	if !now.Before(deadline) {
		return failed(codeDeadline, errors.New("memcached: the deadline passed before the request"))
	}
	if err := s.divide(ops, now); err != nil {
		return failed(codeBadOp, err)
	}
	for i, l := range s.links {
		if s.shares[i].count == 0 {
			continue
		}
		if err := l.ready(deadline); err != nil {
			return failed(codeOf(err), fmt.Errorf("memcached: connect to %s: %w", l.address, err))
		}
	}
	if err := s.exchange(); err != nil {
		// What is still to come would be taken for the answers to what is sent next.
		for i, l := range s.links {
			if s.shares[i].count > 0 {
				l.drop()
			}
		}
		return err
	}
	return nil
}

// divide makes the commands. Nothing is sent yet.
func (s *session) divide(ops []stores.Op, now time.Time) error {
	if s.shares == nil {
		s.shares = make([]share, len(s.links))
	}
	for i := range s.shares {
		s.shares[i].out, s.shares[i].count = s.shares[i].out[:0], 0
	}
	for i := range ops {
		if err := s.prepare(&ops[i], now); err != nil {
			return err
		}
		part := &s.shares[owner(s.name, len(s.links))]
		part.out = append(part.out, s.out...)
		part.count++
	}
	return nil
}

// exchange sends the shares and reads their answers. Members may have taken a part of them when
// it fails.
func (s *session) exchange() error {
	for i, part := range s.shares {
		if part.count > 0 {
			if _, err := s.links[i].conn.Write(part.out); err != nil {
				return lost(stores.Insert, err)
			}
		}
	}
	for i, part := range s.shares {
		for range part.count {
			line, err := readLine(s.links[i].in)
			if err != nil {
				return lost(stores.Insert, err)
			}
			if string(line) != "HD" {
				return ofBatch(line)
			}
		}
	}
	return nil
}
