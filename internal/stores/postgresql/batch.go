package postgresql

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kvbench/kvbench/internal/stores"
)

// What is sent at once. PostgreSQL has no bound; what is more gains little.
const (
	maxBatchRecords = 256
	maxBatchBytes   = 4 << 20
)

// MaxBatch is what one request has at most.
func (s *session) MaxBatch() (records, bytes int) { return maxBatchRecords, maxBatchBytes }

// InsertAll sends a statement for each record before it looks for an answer. The server takes
// all up to the one sign that ends them for one transaction: all of them, or none.
func (s *session) InsertAll(ops []stores.Op) error {
	deadline := ops[0].Deadline
	if !time.Now().Before(deadline) {
		return stores.Late("postgresql")
	}
	if err := s.connect(&ops[0]); err != nil {
		return failed(codeOf(err), fmt.Errorf("postgresql: connect: %w", err))
	}
	err := s.insertAll(ops)
	s.release()
	return err
}

func (s *session) insertAll(ops []stores.Op) error {
	batch, inserts := &pgconn.Batch{}, map[*statement]bool{}
	for i := range ops {
		insert, err := s.prepared(&ops[i])
		if err != nil {
			return s.unprepared(&ops[i], err)
		}
		inserts[insert] = true
		s.bind(&ops[i])
		batch.ExecStatement(insert.desc, s.params, binaryFormat, binaryFormat)
	}
	s.link.local = false
	err := s.link.conn.ExecBatch(context.Background(), batch).Close()
	if err != nil {
		for insert := range inserts {
			s.link.forget(insert, err)
		}
		return judge(stores.Insert, err)
	}
	if s.link.local {
		return errNotOnQuorum
	}
	return nil
}
