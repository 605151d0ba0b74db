package redis

import (
	"context"
	"errors"
	"fmt"
	"time"

	client "github.com/redis/go-redis/v9"

	"github.com/kvbench/kvbench/internal/stores"
)

// request has the names of what an operation is about, and the buffers of its command.
type request struct {
	// clustered: all tables put their name before a record's, and none has an index.
	clustered bool

	table  string
	prefix string
	index  string
	name   []byte
	args   []any // of a command that has many
}

// until bounds what is done for a request; there is nothing to do after its deadline.
func until(deadline time.Time) (context.Context, context.CancelFunc, error) {
	if !time.Now().Before(deadline) {
		return nil, nil, failed(codeDeadline, errors.New("the deadline passed before the request"))
	}
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	return ctx, cancel, nil
}

// prepare makes the names of what the operation is about.
func (r *request) prepare(op *stores.Op) (err error) {
	switch op.Kind {
	case stores.Read, stores.Delete:
	case stores.Insert, stores.Update:
		if len(op.Values) == 0 {
			return failed(codeBadOp, errors.New("a record without fields"))
		}
	case stores.Scan:
		if r.clustered {
			return failed(codeBadOp, fmt.Errorf("mode %s has no scan", ModeCluster))
		}
		if op.Count < 1 {
			return failed(codeBadOp, fmt.Errorf("a scan of %d records", op.Count))
		}
	default:
		return failed(codeBadOp, fmt.Errorf("no %v can be done", op.Kind))
	}
	if op.Table != r.table || r.table == "" {
		if r.prefix, err = prefixOf(op.Table, r.clustered); err != nil {
			r.table = ""
			return failed(codeBadOp, err)
		}
		r.table, r.index = op.Table, r.prefix+indexName
	}
	if r.name, err = appendName(r.name[:0], r.prefix, op.Key); err != nil {
		return failed(codeBadOp, err)
	}
	return nil
}

// hset is the command that writes the fields of the operation into its record.
func (r *request) hset(op *stores.Op) []any {
	r.args = append(r.args[:0], "HSET", r.name)
	for i := range op.Values {
		r.args = append(r.args, op.Values[i].Name, op.Values[i].Value)
	}
	return r.args
}

// get is the command that reads the fields of the operation from one record.
func get(ctx context.Context, op *stores.Op, name any) *client.Cmd {
	if op.Fields == nil {
		return client.NewCmd(ctx, "HGETALL", name)
	}
	args := make([]any, 0, 2+len(op.Fields))
	args = append(args, "HMGET", name)
	for _, field := range op.Fields {
		args = append(args, field)
	}
	return client.NewCmd(ctx, args...)
}
