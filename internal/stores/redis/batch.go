package redis

import (
	client "github.com/redis/go-redis/v9"

	"github.com/kvbench/kvbench/internal/stores"
)

// A transaction of so much keeps the server from other requests for some milliseconds.
const (
	maxBatchRecords = 1000
	maxBatchBytes   = 1 << 20
)

// MaxBatch is what goes into a transaction.
func (s *session) MaxBatch() (records, bytes int) { return maxBatchRecords, maxBatchBytes }

// InsertAll writes the records and their places in the index in one transaction: all, or none.
func (s *session) InsertAll(ops []stores.Op) error {
	ctx, cancel, err := until(ops[0].Deadline)
	if err != nil {
		return err
	}
	defer cancel()
	commands, places := []client.Cmder{client.NewCmd(ctx, "MULTI")}, []any{"ZADD", nil}
	for i := range ops {
		// Each command has a name and arguments of its own: they are sent together.
		s.name, s.args = nil, nil
		if err := s.prepare(&ops[i]); err != nil {
			return err
		}
		commands = append(commands, client.NewCmd(ctx, s.hset(&ops[i])...))
		places = append(places, score(ops[i].Key), ops[i].Key)
	}
	places[1] = s.index
	commands = append(commands, client.NewCmd(ctx, places...), client.NewCmd(ctx, "EXEC"))
	if err := s.find(ctx); err != nil {
		return err
	}
	return s.write(ctx, commands...)
}
