package memcached

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxKey is the protocol's bound of a key as it is sent.
	maxKey = 250
	// maxValue bounds what an answer may make us keep; no workload's record is larger.
	maxValue = 64 << 20
)

// appendKey appends the key's item name as the protocol wants it, and says whether it had to
// be encoded: text goes as it is, and all else as base64, which is the same item.
func appendKey(dst, name []byte) (out []byte, encoded bool, err error) {
	plain := !slices.ContainsFunc(name, func(b byte) bool { return b <= ' ' || b == 0x7f })
	from := len(dst)
	if plain {
		dst = append(dst, name...)
	} else {
		dst = base64.StdEncoding.AppendEncode(dst, name)
	}
	if length := len(dst) - from; length > maxKey {
		return dst[:from], false, fmt.Errorf("memcached: the key %.20q… has %d bytes as it is sent, with its table, and at most %d are possible; shorten zeropadding or the table's name",
			name, length, maxKey)
	}
	return dst, !plain, nil
}

// appendTable appends "<table>/". A slash in the table's name is refused, since the keys of
// table "a/b" could be those of table "a".
func appendTable(dst []byte, table string) ([]byte, error) {
	if table == "" || strings.Contains(table, "/") {
		return nil, fmt.Errorf("memcached: table %q: use a name without a slash", table)
	}
	return append(append(dst, table...), '/'), nil
}

// The commands are those of the meta protocol: https://docs.memcached.org/protocols/meta.

func appendGet(dst, key []byte, encoded bool) []byte {
	return appendEnd(append(append(append(dst, "mg "...), key...), " v"...), encoded)
}

func appendSet(dst, key []byte, encoded bool, expires int64, value []byte) []byte {
	dst = append(append(append(dst, "ms "...), key...), ' ')
	dst = strconv.AppendInt(dst, int64(len(value)), 10)
	if expires > 0 {
		dst = strconv.AppendInt(append(dst, " T"...), expires, 10)
	}
	dst = appendEnd(dst, encoded)
	return append(append(dst, value...), "\r\n"...)
}

func appendDelete(dst, key []byte, encoded bool) []byte {
	return appendEnd(append(append(dst, "md "...), key...), encoded)
}

func appendEnd(dst []byte, encoded bool) []byte {
	if encoded {
		dst = append(dst, " b"...)
	}
	return append(dst, "\r\n"...)
}

// errProtocol: what came is no answer of memcached.
var errProtocol = errors.New("the answer is none of memcached's")

// readLine returns a line without its end. It is valid until the next read.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, errProtocol
	}
	if err != nil {
		return nil, err
	}
	line, ok := bytes.CutSuffix(line, []byte("\r\n"))
	if !ok {
		return nil, errProtocol
	}
	return line, nil
}

// readValue reads what follows the line "VA <size> …" into dst, cut to [:0] before.
func readValue(in *bufio.Reader, line, dst []byte) ([]byte, error) {
	digits, _, _ := bytes.Cut(bytes.TrimPrefix(line, []byte("VA ")), []byte(" "))
	size, err := parseSize(digits)
	if err != nil {
		return dst, err
	}
	dst = slices.Grow(dst[:0], size+2)[:size+2]
	if _, err := io.ReadFull(in, dst); err != nil {
		return dst[:0], err
	}
	value, ok := bytes.CutSuffix(dst, []byte("\r\n"))
	if !ok {
		return dst[:0], errProtocol
	}
	return value, nil
}

// parseSize is Atoi without making a string.
func parseSize(digits []byte) (int, error) {
	size := 0
	for _, d := range digits {
		if d < '0' || d > '9' || size > maxValue {
			return 0, errProtocol
		}
		size = 10*size + int(d-'0')
	}
	if len(digits) == 0 || size > maxValue {
		return 0, errProtocol
	}
	return size, nil
}
