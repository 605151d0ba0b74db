package redis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	client "github.com/redis/go-redis/v9"

	"github.com/kvbench/kvbench/internal/stores"
)

// update writes the fields, and makes the record where there is none, as YCSB's client does; it
// is in no scan then.
func (s *session) update(ctx context.Context, op *stores.Op) error {
	return s.write(ctx, client.NewCmd(ctx, s.hset(op)...))
}

// insert writes the record and its place in the index together.
func (s *session) insert(ctx context.Context, op *stores.Op) error {
	return s.write(ctx,
		client.NewCmd(ctx, "MULTI"),
		client.NewCmd(ctx, s.hset(op)...),
		client.NewCmd(ctx, "ZADD", s.index, score(op.Key), op.Key),
		client.NewCmd(ctx, "EXEC"))
}

func (s *session) remove(ctx context.Context, op *stores.Op) error {
	exec := client.NewCmd(ctx, "EXEC")
	err := s.write(ctx,
		client.NewCmd(ctx, "MULTI"),
		client.NewCmd(ctx, "UNLINK", s.name),
		client.NewCmd(ctx, "ZREM", s.index, op.Key),
		exec)
	if err != nil {
		return err
	}
	if results, _ := exec.Slice(); len(results) == 2 && results[0] == int64(0) {
		return notFound()
	}
	return nil
}

// write sends what changes a record and, in the same pipeline, waits for the replicas.
//
// A command that is answered with an error was not carried out, and neither is a transaction of
// which one was refused, once it was begun. Without an answer nobody knows, unless nothing was sent.
func (s *session) write(ctx context.Context, commands ...client.Cmder) error {
	changes := len(commands)
	var wait *client.Cmd
	if s.replicas > 0 {
		wait = client.NewCmd(ctx, "WAIT", s.replicas, waitMillis(ctx))
		commands = append(commands, wait)
	}
	sent, err := s.peer.run(ctx, commands...)
	for i, command := range commands[:changes] {
		refused := command.Err()
		if refused == nil || !isReply(refused) {
			continue
		}
		if i == 0 && changes > 1 && !allRefused(commands[1:changes-1]) {
			return unknown(codeOf(refused), refused) // without MULTI each is carried out by itself
		}
		if i == changes-1 && changes > 1 && !isOfExec(refused) {
			s.peer.drop()
			return unknown(codeOf(refused), refused)
		}
		return failed(codeOf(refused), refused)
	}
	switch {
	case err != nil && !sent:
		return failed(codeOf(err), err)
	case err != nil:
		return unknown(codeOf(err), err)
	}
	if err := inTransaction(commands[changes-1]); err != nil {
		return unknown(codeOf(err), err)
	}
	if wait == nil {
		return nil
	}
	got, err := wait.Int()
	if err != nil {
		return unknown(codeOf(err), err)
	}
	if got < s.replicas {
		return unknown(codeNotReplicated, fmt.Errorf("%d replicas have the write, not %d, after %vms", got, s.replicas, wait.Args()[2]))
	}
	return nil
}

// isOfExec says that an error is EXEC's own. The client has types for others: it may have taken such
// a one out of EXEC's answer, of a command in the transaction, and has then not read the rest.
func isOfExec(refused error) bool {
	return slices.ContainsFunc([]string{"EXECABORT ", "ERR ", "BUSY ", "MISCONF "}, func(prefix string) bool { return strings.HasPrefix(refused.Error(), prefix) })
}

func allRefused(commands []client.Cmder) bool {
	return !slices.ContainsFunc(commands, func(command client.Cmder) bool {
		err := command.Err()
		return err == nil || !isReply(err)
	})
}

// inTransaction is the error of a command that failed when it was carried out, beside others that
// did not.
func inTransaction(last client.Cmder) error {
	if command, ok := last.(*client.Cmd); ok {
		results, _ := command.Val().([]any)
		for _, result := range results {
			if err, ok := result.(error); ok {
				return err
			}
		}
	}
	return nil
}
