package redis

import (
	"context"
	"errors"
	"fmt"

	client "github.com/redis/go-redis/v9"

	"github.com/kvbench/kvbench/internal/stores"
)

func (s *session) read(ctx context.Context, op *stores.Op) error {
	op.Result = op.Result[:0]
	command := get(ctx, op, s.name)
	if err := s.fetch(ctx, command); err != nil {
		return err
	}
	found, err := take(op, command)
	if err != nil {
		return err
	}
	if !found {
		return notFound()
	}
	return nil
}

// scan takes the keys from the index, and then their records; one that was deleted in between is
// left out.
func (s *session) scan(ctx context.Context, op *stores.Op) error {
	op.Result = op.Result[:0]
	index := client.NewCmd(ctx, "ZRANGEBYSCORE", s.index, score(op.Key), "+inf", "LIMIT", 0, op.Count)
	if err := s.fetch(ctx, index); err != nil {
		return err
	}
	keys, err := index.StringSlice()
	if err != nil {
		return failed(codeBadRecord, err)
	}
	if len(keys) > op.Count {
		return failed(codeBadRecord, fmt.Errorf("%d keys instead of %d", len(keys), op.Count))
	}
	if len(keys) == 0 {
		return nil
	}
	records := make([]client.Cmder, len(keys))
	for i, key := range keys {
		records[i] = get(ctx, op, s.prefix+key)
	}
	if err := s.fetch(ctx, records...); err != nil {
		return err
	}
	for _, record := range records {
		if _, err := take(op, record.(*client.Cmd)); err != nil {
			return err
		}
	}
	return nil
}

// fetch sends commands that change nothing: whatever goes wrong, nothing came back.
func (s *session) fetch(ctx context.Context, commands ...client.Cmder) error {
	if _, err := s.peer.run(ctx, commands...); err != nil {
		return failed(codeOf(err), err)
	}
	for _, command := range commands {
		if err := command.Err(); err != nil {
			return failed(codeOf(err), err)
		}
	}
	return nil
}

var errShape = errors.New("the answer is none of a record's")

// take hands the fields over if they are wanted, and says whether there are any.
func take(op *stores.Op, answer *client.Cmd) (found bool, err error) {
	values, ok := answer.Val().([]any)
	each := 2 // name and value
	if op.Fields != nil {
		each = 1
		ok = ok && len(values) == len(op.Fields)
	}
	if !ok || len(values)%each != 0 {
		return false, failed(codeBadRecord, errShape)
	}
	for i := 0; i < len(values); i += each {
		var name string
		if op.Fields != nil {
			name = op.Fields[i]
		} else if name, ok = values[i].(string); !ok {
			return false, failed(codeBadRecord, errShape)
		}
		last := values[i+each-1]
		if last == nil && op.Fields != nil {
			continue // the record has no such field
		}
		value, ok := last.(string)
		if !ok {
			return false, failed(codeBadRecord, errShape)
		}
		found = true
		if op.WantResult {
			op.Result = append(op.Result, stores.Field{Name: name, Value: []byte(value)})
		}
	}
	return found, nil
}
