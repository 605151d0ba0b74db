package loadgen

import (
	"context"

	"github.com/kvbench/kvbench/internal/stores"
)

// batch is the records that go with one request.
type batch struct {
	inserter stores.Batcher // nil where the store's session has none
	most     int64          // records
	maxBytes int

	numbers []int64
	ops     []stores.Op
	bytes   []byte // their keys and values, which a thread would write over
}

// newBatch is of one record unless more are wanted, and the session can.
func newBatch(session stores.Session, wanted int) *batch {
	inserter, can := session.(stores.Batcher)
	if !can || wanted <= 1 {
		return &batch{most: 1}
	}
	records, bytes := inserter.MaxBatch()
	return &batch{inserter: inserter, most: int64(min(wanted, records)), maxBytes: bytes}
}

// add takes a record, unless it is too much beside the others. What the thread has made is
// copied.
func (b *batch) add(number int64, op *stores.Op) bool {
	size := len(op.Key)
	for _, field := range op.Values {
		size += len(field.Name) + len(field.Value)
	}
	if len(b.ops) > 0 && len(b.bytes)+size > b.maxBytes {
		return false
	}
	own := stores.Op{Kind: op.Kind, Table: op.Table, Key: b.keep(op.Key)}
	for _, field := range op.Values {
		// The name counts with the bytes, so it takes part of them.
		b.keep([]byte(field.Name))
		own.Values = append(own.Values, stores.Field{Name: field.Name, Value: b.keep(field.Value)})
	}
	b.numbers, b.ops = append(b.numbers, number), append(b.ops, own)
	return true
}

// keep copies to the end of bytes. Earlier copies stay where they are if these move.
func (b *batch) keep(content []byte) []byte {
	begin := len(b.bytes)
	b.bytes = append(b.bytes, content...)
	return b.bytes[begin:len(b.bytes):len(b.bytes)]
}

// loadAll inserts what the batch has, and empties it. The records of one that fails are loaded by
// themselves, as if there had been none, so that one record that the store doesn't take keeps out no
// other. Each has the request's time.
func (l *loader) loadAll(ctx context.Context, s *session, b *batch) error {
	defer func() { b.numbers, b.ops, b.bytes = b.numbers[:0], b.ops[:0], b.bytes[:0] }()
	switch len(b.ops) {
	case 0:
		return nil
	case 1: // which may be more than a batch can have
		return l.load(ctx, s, b.numbers[0])
	}
	sent := s.now()
	b.ops[0].Deadline = s.begin.Add(sent + s.timeout)
	err := b.inserter.InsertAll(b.ops)
	done := s.now()
	for range b.ops {
		l.record(s, sent, done, err)
	}
	if err == nil {
		l.loaded.Add(int64(len(b.ops)))
		return nil
	}
	for _, number := range b.numbers {
		if err := l.load(ctx, s, number); err != nil {
			return err
		}
	}
	return nil
}
