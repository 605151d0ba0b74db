package hazelcast

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// pageRows is how many rows a member sends at once at most.
const pageRows = 100

// objectNotFound is SQL's error for a map that it has no mapping of.
const objectNotFound = 1010

// rows are the values of a scan, behind each other: a page is read over the one before.
type rows struct {
	page  [][]byte
	bytes []byte
	ends  []int
	most  int // bytes of the largest one so far
}

// pageFor is how many rows to ask for, of so many that are wanted: as many of the largest as one
// message holds; one while none is known.
func (r *rows) pageFor(wanted int) int {
	if r.most == 0 {
		return 1
	}
	return max(1, min(wanted, pageRows, maxMessage/2/r.most))
}

func (r *rows) keep() {
	for _, value := range r.page {
		r.bytes = append(r.bytes, value...)
		r.ends = append(r.ends, len(r.bytes))
		r.most = max(r.most, len(value))
	}
}

// scan asks by SQL for the entries from a key on, which a sorted index of the keys is for. SQL
// knows a map by a mapping, which is made when the first scan misses it.
func (s *session) scan(op *stores.Op, l asker) error {
	if op.Count < 1 {
		return failed(stores.CodeBadOperation, fmt.Errorf("hazelcast: a scan of %d records", op.Count))
	}
	err := s.selectRows(op, l)
	var missing *sqlError
	if errors.As(err, &missing) && missing.number == objectNotFound {
		if err = s.makeMapping(op.Table, l); err == nil {
			err = s.selectRows(op, l)
		}
	}
	if err != nil {
		return failOn(op.Kind, l, err)
	}
	op.Result = op.Result[:0]
	begin := 0
	for _, end := range s.rows.ends {
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
	id := queryID{member: l.whose(), local: rand.Uint64()}
	statement := fmt.Sprintf(`SELECT this FROM %s WHERE __key >= ? ORDER BY __key LIMIT %d`, quoted(op.Table), op.Count)
	page := s.rows.pageFor(op.Count + 1)
	s.request.out = s.request.out[:0]
	appendSQL(&s.request, l.number(), id, statement, [][]byte{s.key}, page, max(time.Millisecond, time.Until(op.Deadline)))
	for {
		m, err := l.exchange(s.request.out)
		if err != nil {
			return err
		}
		var last bool
		s.rows.page, last, err = decodePage(s.rows.page[:0], m)
		if err != nil {
			return err
		}
		s.rows.keep()
		if len(s.rows.ends) > op.Count {
			return fmt.Errorf("%w: more than the %d rows that were asked for", errProtocol, op.Count)
		}
		if last {
			return nil
		}
		if len(s.rows.page) == 0 {
			return fmt.Errorf("%w: a page without rows that isn't the last one", errProtocol)
		}
		s.request.out = s.request.out[:0]
		appendFetch(&s.request, l.number(), id, s.rows.pageFor(op.Count-len(s.rows.ends)+1))
	}
}

// makeMapping tells SQL what the map's keys and values are.
func (s *session) makeMapping(table string, l asker) error {
	statement := fmt.Sprintf(`CREATE MAPPING IF NOT EXISTS %s TYPE IMap OPTIONS ('keyFormat'='varchar', 'valueFormat'='java', 'valueJavaClass'='[B')`, quoted(table))
	s.request.out = s.request.out[:0]
	appendSQL(&s.request, l.number(), queryID{member: l.whose(), local: rand.Uint64()}, statement, nil, 1, 0)
	m, err := l.exchange(s.request.out)
	if err != nil {
		return err
	}
	_, _, err = decodePage(nil, m)
	return err
}

// quoted is a name in SQL.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
