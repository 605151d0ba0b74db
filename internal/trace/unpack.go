package trace

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// MaxUnpacked bounds a trace that was compressed, in bytes.
const MaxUnpacked = 32 << 20

// Unpack reads a trace that may be compressed by gzip. A text can't begin as gzip does.
func Unpack(content []byte) (io.Reader, error) {
	if !bytes.HasPrefix(content, []byte{0x1f, 0x8b}) {
		return bytes.NewReader(content), nil
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("unpacking it: %w", err)
	}
	return &bounded{from: unpacked, left: MaxUnpacked}, nil
}

var errTooLarge = fmt.Errorf("unpacked it has more than %d bytes", MaxUnpacked)

// bounded fails where a reader has more than so many bytes.
type bounded struct {
	from io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, errTooLarge
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("unpacking it: %w", err)
	}
	return n, err
}
