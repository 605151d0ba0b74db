package ignite

import (
	"context"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// maxQueryRows is more than a query of the system's views brings.
const maxQueryRows = 1000

// query asks for a statement without parameters, whose rows are one string each.
func (l *link) query(ctx context.Context, statement string, timeout time.Duration) (rows []string, err error) {
	deadline := stores.DeadlineOf(ctx, timeout)
	if _, err := l.ready(deadline); err != nil {
		return nil, err
	}
	conn := l.Conn()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	defer func() {
		if err != nil {
			l.drop()
		}
	}()
	var request builder
	appendStatement(&request, l.number(), statement, selects, timeout)
	m, err := l.exchange(request.out)
	if err != nil {
		return nil, err
	}
	return decodeStrings(m.body)
}

// appendStatement asks for one without parameters, which is about no cache.
func appendStatement(b *builder, number int64, statement string, kind byte, timeout time.Duration) {
	beginStatement(b, number, 0, statement, maxQueryRows)
	b.int32(0) // parameters
	endStatement(b, kind, timeout)
}

// decodeStrings reads the one page of an answer to a query for strings.
func decodeStrings(in input) (rows []string, err error) {
	in.int64() // cursor
	if columns := in.int32(); columns != 1 {
		return nil, fmt.Errorf("%w: %d columns instead of 1", errProtocol, columns)
	}
	for range in.count(1) {
		content, _ := in.object(typeString)
		rows = append(rows, string(content))
	}
	if more := in.bool(); more {
		return nil, fmt.Errorf("%w: more than %d rows", errProtocol, maxQueryRows)
	}
	return rows, in.err()
}
