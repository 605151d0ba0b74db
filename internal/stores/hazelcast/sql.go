package hazelcast

import (
	"encoding/binary"
	"fmt"
	"time"
)

const (
	kindSQLExecute = 0x210400
	kindSQLFetch   = 0x210500

	// sqlAny is for statements that bring rows, and for those that bring none.
	sqlAny = 0
	// columnObject is the type of a column of serialized values.
	columnObject = 13
)

// queryID names a statement: the member that runs it, and a number.
type queryID struct {
	member uuid
	local  uint64
}

// appendSQL asks for a statement with these parameters, and for so many of its rows at once.
// A timeout of 0 is none; statements that bring no rows take no other.
func appendSQL(b *builder, number int64, id queryID, statement string, parameters [][]byte, rows int, timeout time.Duration) {
	own := b.begin(kindSQLExecute, number, noPartition, 8+4+1+1)
	binary.LittleEndian.PutUint64(own, uint64(timeout.Milliseconds()))
	binary.LittleEndian.PutUint32(own[8:], uint32(rows))
	own[12] = sqlAny
	b.text(statement)
	b.frame(flagBegin, 0)
	for _, parameter := range parameters {
		b.bytes(parameter)
	}
	b.frame(flagEnd, 0)
	b.null() // schema
	appendQueryID(b, id)
	b.end()
}

// appendFetch asks for the next rows.
func appendFetch(b *builder, number int64, id queryID, rows int) {
	own := b.begin(kindSQLFetch, number, noPartition, 4)
	binary.LittleEndian.PutUint32(own, uint32(rows))
	appendQueryID(b, id)
	b.end()
}

func appendQueryID(b *builder, id queryID) {
	b.frame(flagBegin, 0)
	content := b.frame(0, 32)
	binary.LittleEndian.PutUint64(content, id.member.high)
	binary.LittleEndian.PutUint64(content[8:], id.member.low)
	binary.LittleEndian.PutUint64(content[16:], id.local)
	binary.LittleEndian.PutUint64(content[24:], id.local)
	b.frame(flagEnd, 0)
}

// decodePage returns the values of a page of rows that have one column of serialized values, and
// whether it is the last one. A statement that has no rows has no page.
func decodePage(dst [][]byte, m *message) (values [][]byte, last bool, err error) {
	frames := m.frames[1:]
	if m.kind() == kindSQLExecute+1 {
		frames = behind(frames) // the columns' names
	}
	page, rest := frames, behind(frames)
	if len(rest) == 0 {
		return dst, false, fmt.Errorf("%w: an answer to SQL without an error's place", errProtocol)
	}
	if !rest[0].is(flagNull) {
		return dst, false, decodeSQLError(rest)
	}
	if page[0].is(flagNull) {
		return dst, true, nil
	}
	if len(page) < 5 || !page[0].is(flagBegin) || len(page[1].content) < 1 || int32At(page[2].content, 0) != columnObject || !page[3].is(flagBegin) {
		return dst, false, fmt.Errorf("%w: a page of other rows than were asked for", errProtocol)
	}
	for _, f := range page[4:] {
		if f.is(flagEnd) {
			return dst, page[1].content[0] == 1, nil
		}
		if !f.is(flagNull) {
			dst = append(dst, f.content)
		}
	}
	return dst, false, errProtocol
}

// behind are the frames after the first item, which is one frame, or a structure.
func behind(frames []frame) []frame {
	depth := 0
	for i, f := range frames {
		switch {
		case f.is(flagBegin):
			depth++
		case f.is(flagEnd):
			depth--
		}
		if depth <= 0 {
			return frames[i+1:]
		}
	}
	return nil
}

// decodeSQLError reads a structure that begins with the number, and then the message.
func decodeSQLError(frames []frame) error {
	if len(frames) < 3 {
		return fmt.Errorf("%w: an SQL error without a message", errProtocol)
	}
	said := frames[2].content
	return &sqlError{number: int32At(frames[1].content, 0), message: string(said[:min(len(said), 500)])}
}

// sqlError is a statement that a member didn't carry out.
type sqlError struct {
	number  int32
	message string
}

func (e *sqlError) Error() string { return fmt.Sprintf("SQL error %d: %s", e.number, e.message) }
