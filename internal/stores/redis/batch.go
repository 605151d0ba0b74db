package redis

import "github.com/kvbench/kvbench/internal/stores"

// A transaction of so much keeps the server from other requests for some milliseconds.
const (
	maxBatchRecords = 1000
	maxBatchBytes   = 1 << 20
)

// MaxBatch is what goes into a transaction.
func (s *session) MaxBatch() (records, bytes int) { return maxBatchRecords, maxBatchBytes }

// InsertAll writes the records and their places in the index in one transaction: all, or none.
func (s *session) InsertAll(ops []stores.Op) error {
	s.commands.Reset()
	s.commands.Command("MULTI")
	for i := range ops {
		ops[i].Deadline = ops[0].Deadline
		if err := s.prepare(&ops[i]); err != nil {
			return err
		}
		s.hset(&ops[i])
	}
	s.beginZADD(len(ops))
	for i := range ops {
		s.zadd(&ops[i])
	}
	s.commands.Command("EXEC")
	return s.write(&ops[0])
}
