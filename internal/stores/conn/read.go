package conn

import (
	"bufio"
	"io"
)

// readAtOnce bounds the memory that is made for bytes of which none has come yet.
const readAtOnce = 64 << 10

// AppendRead appends the next so many bytes of a connection to dst. A hostile member may announce more bytes than it
// sends, so memory grows with the bytes that come, and not with what is announced.
func AppendRead(dst []byte, in *bufio.Reader, length int) ([]byte, error) {
	for length > 0 {
		part := min(length, readAtOnce)
		begin := len(dst)
		if cap(dst)-begin < part {
			grown := make([]byte, begin, max(2*cap(dst), begin+part))
			copy(grown, dst)
			dst = grown
		}
		dst = dst[:begin+part]
		if _, err := io.ReadFull(in, dst[begin:]); err != nil {
			return dst, err
		}
		length -= part
	}
	return dst, nil
}
