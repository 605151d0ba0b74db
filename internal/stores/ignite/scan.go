package ignite

import (
	"fmt"
	"math"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// pageRows is how many rows a member sends at once at most.
const pageRows = 100

// statement asks for entries along the index of the primary key.
const statement = `SELECT _VAL FROM RECORD WHERE _KEY >= ? ORDER BY _KEY LIMIT ?`

// rows are the values of a scan, behind each other: a page is read over the one before.
type rows struct {
	bytes []byte
	ends  []int
	most  int // bytes of the largest one so far
}

// pageFor is how many rows to ask for at once, of so many that are wanted: as many of the largest as
// half a message holds; one while none is known. A scan's pages are all of one size.
func (r *rows) pageFor(wanted int) int {
	if r.most == 0 {
		return 1
	}
	return max(1, min(wanted, pageRows, maxMessage/2/r.most))
}

// scan asks by SQL for the entries from a key on.
func (s *session) scan(op *stores.Op, l asker) error {
	if op.Count < 1 || op.Count > math.MaxInt32 {
		return failed(stores.CodeBadOperation, fmt.Errorf("a scan of %d records", op.Count))
	}
	if err := s.selectRows(op, l); err != nil {
		return s.failOn(op.Kind, l, err)
	}
	op.Result = op.Result[:0]
	begin := 0
	for _, end := range s.rows.ends {
		var err error
		if s.fields, err = appendRecord(op, s.fields, s.rows.bytes[begin:end:end]); err != nil {
			return err
		}
		begin = end
	}
	return nil
}

func (s *session) selectRows(op *stores.Op, l asker) error {
	s.rows.bytes, s.rows.ends = s.rows.bytes[:0], s.rows.ends[:0]
	if cap(s.rows.bytes) > keepBytes {
		s.rows.bytes = nil
	}
	s.request.out = s.request.out[:0]
	appendScan(&s.request, l.number(), s.table.id, s.key, op.Count, s.rows.pageFor(op.Count), time.Until(op.Deadline))
	m, err := l.exchange(s.request.out)
	if err != nil {
		return err
	}
	cursor := m.body.int64()
	m.body.int32() // columns
	for {
		more, err := s.rows.readPage(&m.body, op.Count-len(s.rows.ends))
		if err != nil || !more {
			return err
		}
		s.request.out = s.request.out[:0]
		appendPage(&s.request, l.number(), cursor)
		if m, err = l.exchange(s.request.out); err != nil {
			return err
		}
	}
}

// readPage appends the values of a page, of at most so many. more says that the member has others.
func (r *rows) readPage(in *input, most int) (more bool, err error) {
	count := in.count(1)
	if count > most {
		return false, fmt.Errorf("%w: %d rows instead of the %d that were asked for", errProtocol, count, most)
	}
	for range count {
		value, there, err := in.value()
		if err != nil {
			return false, err
		}
		if !there {
			return false, fmt.Errorf("%w: a row without a value", errProtocol)
		}
		r.bytes = append(r.bytes, value...)
		r.ends = append(r.ends, len(r.bytes))
		r.most = max(r.most, len(value))
	}
	more = in.bool()
	if more && count == 0 {
		return false, fmt.Errorf("%w: a page without rows that isn't the last one", errProtocol)
	}
	return more, in.err()
}

// appendScan asks for so many entries from a key on, a page of them at once.
func appendScan(b *builder, number int64, cache int32, key []byte, count, page int, timeout time.Duration) {
	beginStatement(b, number, cache, statement, page)
	b.int32(2) // parameters
	b.bytes(key)
	b.byte(typeInt)
	b.int32(int32(count))
	endStatement(b, selects, timeout)
}

// What a statement may be.
const (
	anything = 0
	selects  = 1
)

// beginStatement and endStatement ask for the rows of a statement, whose parameters come in between
// (https://ignite.apache.org/docs/latest/binary-client-protocol/sql-and-scan-queries#op_query_sql_fields).
func beginStatement(b *builder, number int64, cache int32, statement string, page int) {
	appendCache(b, kindSQL, number, cache)
	b.byte(typeNull) // schema: the cache's
	b.int32(int32(page))
	b.int32(-1) // rows at most
	b.text(statement)
}

func endStatement(b *builder, kind byte, timeout time.Duration) {
	b.byte(kind)
	for range 6 {
		b.bool(false) // joins, local, replicated alone, order of joins, collocated, lazy
	}
	b.int64(max(1, timeout.Milliseconds()))
	b.bool(false) // names of columns
	b.end()
}

func appendPage(b *builder, number, cursor int64) {
	b.begin(kindSQLPage, number)
	b.int64(cursor)
	b.end()
}
