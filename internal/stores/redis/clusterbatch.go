package redis

import (
	"sync"

	client "github.com/redis/go-redis/v9"

	"github.com/kvbench/kvbench/internal/stores"
)

// MaxBatch is what goes into the pipelines to all members together.
func (s *clusterSession) MaxBatch() (records, bytes int) { return maxBatchRecords, maxBatchBytes }

// share is the part of a batch that one member has the slots of.
type share struct {
	peer     *peer
	commands []client.Cmder
	sent     bool
	err      error
}

// InsertAll writes the records in a pipeline to each member that has some, at once. There is no
// transaction over slots: some of a batch that fails may be there, and then it is unknown.
func (s *clusterSession) InsertAll(ops []stores.Op) error {
	ctx, cancel, err := until(ops[0].Deadline)
	if err != nil {
		return err
	}
	defer cancel()
	shares := map[*peer]*share{}
	for i := range ops {
		// Each command has a name and arguments of its own: they are sent together.
		s.name, s.args = nil, nil
		if err := s.prepare(&ops[i]); err != nil {
			return err
		}
		peer, failure := s.find(ctx, slotOf(s.name))
		if failure != nil {
			return failure
		}
		if shares[peer] == nil {
			shares[peer] = &share{peer: peer}
		}
		shares[peer].commands = append(shares[peer].commands, client.NewCmd(ctx, s.hset(&ops[i])...))
	}
	var all sync.WaitGroup
	for _, one := range shares {
		all.Go(func() { one.sent, one.err = one.peer.run(ctx, one.commands...) })
	}
	all.Wait()
	return outcomeOf(shares)
}

// outcomeOf is nil if all commands were carried out, a failure if none was, for sure, and else
// unknown.
func outcomeOf(shares map[*peer]*share) error {
	var failure *stores.Error
	some := false
	for _, one := range shares {
		for _, command := range one.commands {
			if command.Err() == nil {
				some = true
				continue
			}
			failure = failureOf(command, one.sent, one.err)
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
