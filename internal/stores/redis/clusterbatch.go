package redis

import (
	"sync"

	"github.com/kvbench/kvbench/internal/stores"
)

// MaxBatch is what goes into the pipelines to all members together.
func (s *clusterSession) MaxBatch() (records, bytes int) { return maxBatchRecords, maxBatchBytes }

// share is the part of a batch that one member has the slots of.
type share struct {
	pipeline
	link *link
	sent bool
	err  error
}

// InsertAll writes the records in a pipeline to each member that has some, at once. There is no
// transaction over slots: some of a batch that fails may be there, and then it is unknown.
func (s *clusterSession) InsertAll(ops []stores.Op) error {
	deadline := ops[0].Deadline
	shares := map[*link]*share{}
	for i := range ops {
		ops[i].Deadline = deadline
		if err := s.prepare(&ops[i]); err != nil {
			return err
		}
		to, _, failure := s.find(&ops[i], slotOf(s.name))
		if failure != nil {
			return failure
		}
		if shares[to] == nil {
			shares[to] = &share{link: to}
		}
		s.commands.Reset()
		s.hset(&ops[i])
		shares[to].commands.Append(&s.commands)
	}
	runAll(shares, &ops[0])
	return outcomeOf(shares)
}

// runAll sends all of them at once. Each may have to wait for a place on a connection.
func runAll(shares map[*link]*share, op *stores.Op) {
	var all sync.WaitGroup
	for _, one := range shares {
		own := stores.Op{Deadline: op.Deadline}
		all.Go(func() { one.sent, one.err = one.link.run(&one.pipeline, &own, nil) })
	}
	all.Wait()
}

// outcomeOf is nil if all commands were carried out, a failure if none was, for sure, and else
// unknown.
func outcomeOf(shares map[*link]*share) error {
	var failure *stores.Error
	some := false
	for _, one := range shares {
		for i := range one.commands.Commands() {
			var refused error
			if i < one.answers.Len() {
				if refused = one.answers.Of(i).Err(); refused == nil {
					some = true
					continue
				}
			}
			failure = failureOf(refused, one.sent, one.err)
			some = some || failure.Outcome == stores.Unknown
		}
	}
	if failure == nil {
		return nil
	}
	if some {
		failure.Outcome = stores.Unknown
	}
	return failure
}
