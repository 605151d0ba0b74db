package cassandra

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// What is under way at once. Cassandra's own batches are for rows of one partition; of others
// they make a coordinator do the work of all clients.
const (
	maxBatchRecords = 64
	maxBatchBytes   = 4 << 20
)

func (s *session) MaxBatch() (records, bytes int) { return maxBatchRecords, maxBatchBytes }

// InsertAll sends a statement for each record before it looks for an answer.
func (s *session) InsertAll(ops []stores.Op) error {
	if !time.Now().Before(ops[0].Deadline) {
		return stores.Late("cassandra")
	}
	ctx, cancel := context.WithDeadline(context.Background(), ops[0].Deadline)
	defer cancel()
	errs := make([]error, len(ops))
	var all sync.WaitGroup
	for i := range ops {
		insert, err := s.prepared(ctx, &ops[i])
		if err != nil {
			for j := i; j < len(ops); j++ {
				errs[j] = err // of which nothing is sent either
			}
			break
		}
		text, values := insert.text, append([]any(nil), s.bind(&ops[i])...)
		all.Go(func() {
			if err := s.driver.query(stores.Insert, text, values...).RoutingKey(ops[i].Key).ExecContext(ctx); err != nil {
				errs[i] = judge(stores.Insert, err)
			}
		})
	}
	all.Wait()
	return together(errs)
}

// together is what is known of all, which has to hold for each: they failed if every one did.
func together(errs []error) error {
	var worst *stores.Error
	failures := 0
	for _, err := range errs {
		var one *stores.Error
		if !errors.As(err, &one) {
			continue
		}
		failures++
		if worst == nil || one.Outcome == stores.Unknown {
			worst = one
		}
	}
	if worst == nil {
		return nil
	}
	all := *worst
	if failures < len(errs) {
		all.Outcome = stores.Unknown
	}
	return &all
}
