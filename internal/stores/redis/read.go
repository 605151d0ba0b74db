package redis

import (
	"errors"
	"fmt"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/redis/resp"
)

func (s *session) read(op *stores.Op) error {
	s.commands.Reset()
	s.get(op, s.name)
	if err := s.fetch(op); err != nil {
		return err
	}
	op.Result = op.Result[:0]
	found, err := take(op, s.answers.Of(0))
	if err != nil {
		return err
	}
	if !found {
		return stores.NotFound("redis")
	}
	return nil
}

// scan takes the keys from the index, and then their records; one that was deleted in between is
// left out.
func (s *session) scan(op *stores.Op) error {
	op.Result = op.Result[:0]
	s.commands.Reset()
	s.zrange(op)
	if err := s.fetch(op); err != nil {
		return err
	}
	keys, ok := s.answers.Of(0).List()
	if !ok {
		return failed(stores.CodeBadRecord, errShape)
	}
	if keys.Left() > op.Count {
		return failed(stores.CodeBadRecord, fmt.Errorf("%d keys instead of %d", keys.Left(), op.Count))
	}
	if keys.Left() == 0 {
		return nil
	}
	s.commands.Reset()
	for key, more := keys.Next(); more; key, more = keys.Next() {
		text, ok := key.Bytes()
		if !ok {
			return failed(stores.CodeBadRecord, errShape)
		}
		s.name = append(append(s.name[:0], s.prefix...), text...)
		s.get(op, s.name)
	}
	if err := s.fetch(op); err != nil {
		return err
	}
	for i := range s.answers.Len() {
		if _, err := take(op, s.answers.Of(i)); err != nil {
			return err
		}
	}
	return nil
}

// fetch sends commands that change nothing: whatever goes wrong, nothing came back.
func (s *session) fetch(op *stores.Op) error {
	_, err := s.run(op)
	if err == nil {
		err = s.firstError()
	}
	if err != nil {
		return failed(codeOf(err), err)
	}
	return nil
}

var errShape = errors.New("the answer is none of a record's")

// take hands the fields over if they are wanted, and says whether there are any. The values are those
// of the answer.
func take(op *stores.Op, answer resp.Value) (found bool, err error) {
	items, ok := answer.List()
	each := 2 // name and value
	if op.Fields != nil {
		each = 1
		ok = ok && items.Left() == len(op.Fields)
	}
	if !ok || items.Left()%each != 0 {
		return false, failed(stores.CodeBadRecord, errShape)
	}
	for i := 0; items.Left() > 0; i++ {
		var name []byte
		item, _ := items.Next()
		if op.Fields == nil {
			if name, ok = item.Bytes(); !ok {
				return false, failed(stores.CodeBadRecord, errShape)
			}
			item, _ = items.Next()
		} else if item.IsNull() {
			continue // the record has no such field
		}
		value, ok := item.Bytes()
		if !ok {
			return false, failed(stores.CodeBadRecord, errShape)
		}
		found = true
		switch {
		case !op.WantResult:
		case op.Fields != nil:
			op.Result = append(op.Result, stores.Field{Name: op.Fields[i], Value: value})
		default:
			op.Result = appendNamed(op.Result, name, value)
		}
	}
	return found, nil
}

// appendNamed appends a field, with the name that the same place had before if it is this one.
func appendNamed(fields []stores.Field, name, value []byte) []stores.Field {
	n := len(fields)
	if n < cap(fields) {
		if before := fields[:n+1][n].Name; before == string(name) {
			return append(fields, stores.Field{Name: before, Value: value})
		}
	}
	return append(fields, stores.Field{Name: string(name), Value: value})
}
