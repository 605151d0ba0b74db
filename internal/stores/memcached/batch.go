package memcached

import (
	"bufio"
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

// Request is its commands.
func (s *share) Request() []byte { return s.out }

// Answer reads an answer to each of them.
func (s *share) Answer(in *bufio.Reader) error {
	for range s.count {
		line, err := readLine(in)
		if err != nil {
			return lost(stores.Insert, err)
		}
		if string(line) != "HD" {
			return ofBatch(line)
		}
	}
	return nil
}

// MaxBatch says how many records, and bytes of them, InsertAll takes.
func (s *session) MaxBatch() (records, bytes int) { return batchRecords, batchBytes }

// InsertAll sends all records before it reads the first answer.
func (s *session) InsertAll(ops []stores.Op) error {
	deadline, now := ops[0].Deadline, time.Now()
	if !now.Before(deadline) {
		return stores.Late("memcached")
	}
	if err := s.divide(ops, now); err != nil {
		return failed(stores.CodeBadOperation, err)
	}
	for i, own := range s.own {
		if s.shares[i].count == 0 {
			continue
		}
		if err := own.Ready(deadline); err != nil {
			return failed(codeOf(err), fmt.Errorf("memcached: connect to %s: %w", s.driver.addresses[i], err))
		}
	}
	if err := s.exchangeAll(); err != nil {
		// What is still to come would be taken for the answers to what is sent next.
		for i, own := range s.own {
			if s.shares[i].count > 0 {
				own.Drop()
			}
		}
		return err
	}
	return nil
}

// divide makes the commands. Nothing is sent yet.
func (s *session) divide(ops []stores.Op, now time.Time) error {
	if s.shares == nil {
		s.shares = make([]share, len(s.own))
	}
	for i := range s.shares {
		s.shares[i].out, s.shares[i].count = s.shares[i].out[:0], 0
	}
	for i := range ops {
		if err := s.prepare(&ops[i], now); err != nil {
			return err
		}
		part := &s.shares[owner(s.name, len(s.own))]
		part.out = append(part.out, s.out...)
		part.count++
	}
	return nil
}

// exchangeAll sends the shares and reads their answers. Members may have taken a part of them when
// it fails.
func (s *session) exchangeAll() error {
	for i := range s.shares {
		if s.shares[i].count > 0 {
			if _, err := s.own[i].Send(&s.shares[i]); err != nil {
				return lost(stores.Insert, err)
			}
		}
	}
	for i := range s.shares {
		if s.shares[i].count > 0 {
			if err := s.own[i].Receive(&s.shares[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
