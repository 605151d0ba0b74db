package hazelcast

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/kvbench/kvbench/internal/stores/conn"
)

// errProtocol is of what isn't the protocol, or more than this client takes.
var errProtocol = errors.New("the answer is not Hazelcast's protocol")

const (
	// maxMessage bounds a message: a record of the largest size, and what is around it.
	maxMessage = maxRecordBytes + 1<<20
	// maxFrames bounds the frames of a message: 271 partitions are lists of some of them.
	maxFrames = 100_000
	// keepBytes is how large a buffer may be that is kept for the next message.
	keepBytes = 1 << 20
)

// reader reads messages, one after the other, into the same memory.
type reader struct {
	in     *bufio.Reader
	header [frameHeader]byte
	buf    []byte
	at     []int // where the frames' contents begin in buf
	msg    message
}

// next reads one message.
func (r *reader) next() (*message, error) {
	if cap(r.buf) > keepBytes {
		r.buf = nil
	}
	r.buf, r.at, r.msg.frames = r.buf[:0], r.at[:0], r.msg.frames[:0]
	for final := false; !final; {
		if _, err := io.ReadFull(r.in, r.header[:]); err != nil {
			return nil, err
		}
		length := int64(binary.LittleEndian.Uint32(r.header[:])) - frameHeader
		flags := binary.LittleEndian.Uint16(r.header[4:])
		switch {
		case length < 0:
			return nil, fmt.Errorf("%w: a frame of %d bytes", errProtocol, length+frameHeader)
		case int64(len(r.buf))+length > maxMessage || len(r.at) == maxFrames:
			return nil, fmt.Errorf("%w: a message of more than %d bytes, or %d frames", errProtocol, maxMessage, maxFrames)
		case len(r.at) == 0 && (flags&flagUnfragmented != flagUnfragmented || length < offsetReply):
			return nil, fmt.Errorf("%w: a message begins with flags %#x and %d bytes", errProtocol, flags, length)
		}
		r.at = append(r.at, len(r.buf))
		r.msg.frames = append(r.msg.frames, frame{flags: flags})
		var err error
		if r.buf, err = conn.AppendRead(r.buf, r.in, int(length)); err != nil {
			return nil, err
		}
		final = flags&flagFinal != 0
	}
	for i, begin := range r.at {
		end := len(r.buf)
		if i+1 < len(r.at) {
			end = r.at[i+1]
		}
		r.msg.frames[i].content = r.buf[begin:end:end]
	}
	return &r.msg, nil
}
