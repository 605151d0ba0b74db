package redis

import (
	"errors"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// request has the names of what an operation is about, and its commands.
type request struct {
	pipeline
	// clustered: all tables put their name before a record's, and none has an index.
	clustered bool

	table  string
	prefix string
	index  string
	name   []byte
}

// prepare makes the names of what the operation is about.
func (r *request) prepare(op *stores.Op) (err error) {
	if !time.Now().Before(op.Deadline) {
		return stores.Late("redis")
	}
	switch op.Kind {
	case stores.Read, stores.Delete:
	case stores.Insert, stores.Update:
		if len(op.Values) == 0 {
			return failed(stores.CodeBadOperation, errors.New("a record without fields"))
		}
	case stores.Scan:
		if r.clustered {
			return failed(stores.CodeBadOperation, fmt.Errorf("mode %s has no scan", ModeCluster))
		}
		if op.Count < 1 {
			return failed(stores.CodeBadOperation, fmt.Errorf("a scan of %d records", op.Count))
		}
	default:
		return failed(stores.CodeBadOperation, fmt.Errorf("no %v can be done", op.Kind))
	}
	if op.Table != r.table || r.table == "" {
		if r.prefix, err = prefixOf(op.Table, r.clustered); err != nil {
			r.table = ""
			return failed(stores.CodeBadOperation, err)
		}
		r.table, r.index = op.Table, r.prefix+indexName
	}
	if r.name, err = appendName(r.name[:0], r.prefix, op.Key); err != nil {
		return failed(stores.CodeBadOperation, err)
	}
	return nil
}

// hset adds the command that writes the fields of the operation into its record.
func (r *request) hset(op *stores.Op) {
	r.commands.Begin(2 + 2*len(op.Values))
	r.commands.Text("HSET")
	r.commands.Word(r.name)
	for i := range op.Values {
		r.commands.Text(op.Values[i].Name)
		r.commands.Word(op.Values[i].Value)
	}
}

// get adds the command that reads the fields of the operation from the record of that name.
func (r *request) get(op *stores.Op, name []byte) {
	if op.Fields == nil {
		r.commands.Begin(2)
		r.commands.Text("HGETALL")
		r.commands.Word(name)
		return
	}
	r.commands.Begin(2 + len(op.Fields))
	r.commands.Text("HMGET")
	r.commands.Word(name)
	for _, field := range op.Fields {
		r.commands.Text(field)
	}
}

// unlink adds the command that removes the record.
func (r *request) unlink() {
	r.commands.Begin(2)
	r.commands.Text("UNLINK")
	r.commands.Word(r.name)
}
