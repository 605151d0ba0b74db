package ignite

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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

// next reads one message's content. Memory is taken as it comes in, not as it is announced.
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
	if err := r.take(int(length)); err != nil {
		return nil, err
	}
	return r.buf, nil
}

// take appends so many bytes of the connection.
func (r *reader) take(length int) error {
	for length > 0 {
		part := min(length, 64<<10)
		begin := len(r.buf)
		if cap(r.buf)-begin < part {
			grown := make([]byte, begin, max(2*cap(r.buf), begin+part))
			copy(grown, r.buf)
			r.buf = grown
		}
		r.buf = r.buf[:begin+part]
		if _, err := io.ReadFull(r.in, r.buf[begin:]); err != nil {
			return err
		}
		length -= part
	}
	return nil
}
