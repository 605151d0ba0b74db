package ignite

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/kvbench/kvbench/internal/stores/conn"
)

// errProtocol is of what isn't the protocol, or more than this client takes.
var errProtocol = errors.New("the answer is not Ignite's protocol")

const (
	// maxMessage bounds a message: a record of the largest size, or a page of 100 of 600 kB each.
	maxMessage = 4*maxRecordBytes + 1<<20
	// keepBytes is how large a buffer may be that is kept for the next message.
	keepBytes = 1 << 20
)

// reader reads messages, one after the other, into the same memory.
type reader struct {
	in     *bufio.Reader
	header [bytesLength]byte
	buf    []byte
}

// next reads one message's content.
func (r *reader) next() ([]byte, error) {
	if cap(r.buf) > keepBytes {
		r.buf = nil
	}
	r.buf = r.buf[:0]
	if _, err := io.ReadFull(r.in, r.header[:]); err != nil {
		return nil, err
	}
	length := int32(binary.LittleEndian.Uint32(r.header[:]))
	if length < 1 || length > maxMessage {
		return nil, fmt.Errorf("%w: a message of %d bytes", errProtocol, length)
	}
	var err error
	if r.buf, err = conn.AppendRead(r.buf, r.in, int(length)); err != nil {
		return nil, err
	}
	return r.buf, nil
}
