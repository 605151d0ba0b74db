package postgresql

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/kvbench/kvbench/internal/stores"
)

// A jsonb holds text, and no zero byte. A value that is such text stands for itself; any other,
// and text that begins with \x, is \x and the hexadecimal digits of its bytes, which is how
// PostgreSQL shows bytes too.
const hexMark = `\x`

// appendObject appends the fields as a jsonb is sent: the format's version, and a JSON object.
func appendObject(dst []byte, fields []stores.Field) []byte {
	dst = append(dst, 1, '{')
	for i := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendQuoted(append(dst, '"'), []byte(fields[i].Name)), `":"`...)
		dst = append(appendValue(dst, fields[i].Value), '"')
	}
	return append(dst, '}')
}

func appendValue(dst, value []byte) []byte {
	if isText(value) && !bytes.HasPrefix(value, []byte(hexMark)) {
		return appendQuoted(dst, value)
	}
	return hex.AppendEncode(append(dst, `\\x`...), value)
}

func isText(value []byte) bool { return utf8.Valid(value) && bytes.IndexByte(value, 0) < 0 }

func appendQuoted(dst, text []byte) []byte {
	const digits = "0123456789abcdef"
	for _, b := range text {
		switch {
		case b == '"' || b == '\\':
			dst = append(dst, '\\', b)
		case b < ' ':
			dst = append(dst, '\\', 'u', '0', '0', digits[b>>4], digits[b&15])
		default:
			dst = append(dst, b)
		}
	}
	return dst
}

var errObject = errors.New("it is no object of texts")

// cutObject takes the version and the brackets off a jsonb; what is left are its members.
func cutObject(data []byte) ([]byte, error) {
	if len(data) < 3 || data[0] != 1 || data[1] != '{' || data[len(data)-1] != '}' {
		return nil, errObject
	}
	return data[2 : len(data)-1], nil
}

// cutMember appends the text of the next member's name, and the value behind it, to dst. rest is
// empty after the last one.
func cutMember(dst, members []byte) (out []byte, name, value [2]int, rest []byte, err error) {
	if out, name, rest, err = cutText(dst, members); err != nil {
		return dst, name, value, nil, err
	}
	if rest = skip(rest, ':'); rest == nil {
		return dst, name, value, nil, errObject
	}
	if out, value, rest, err = cutText(out, rest); err != nil {
		return dst, name, value, nil, err
	}
	if len(rest) == 0 {
		return out, name, value, nil, nil
	}
	if rest = skip(rest, ','); rest == nil {
		return dst, name, value, nil, errObject
	}
	return out, name, value, rest, nil
}

// skip takes a sign, and the space behind it, off data; nil if it isn't there, or the last.
func skip(data []byte, sign byte) []byte {
	if len(data) == 0 || data[0] != sign {
		return nil
	}
	if data = bytes.TrimLeft(data[1:], " "); len(data) == 0 {
		return nil
	}
	return data
}

// cutText takes a JSON string off data and appends what it stands for.
func cutText(dst, data []byte) (out []byte, at [2]int, rest []byte, err error) {
	if len(data) == 0 || data[0] != '"' {
		return dst, at, nil, errObject
	}
	begin, out := len(dst), dst
	for i := 1; i < len(data); i++ {
		switch b := data[i]; b {
		case '"':
			return out, [2]int{begin, len(out)}, data[i+1:], nil
		case '\\':
			var used int
			if out, used = appendEscaped(out, data[i+1:]); used == 0 {
				return dst, at, nil, fmt.Errorf("%w: an escape is wrong", errObject)
			}
			i += used
		default:
			out = append(out, b)
		}
	}
	return dst, at, nil, fmt.Errorf("%w: it ends early", errObject)
}

// appendEscaped appends what stands behind a backslash, and says how long that was; 0 is wrong.
func appendEscaped(dst, data []byte) (out []byte, used int) {
	if len(data) == 0 {
		return dst, 0
	}
	switch data[0] {
	case '"', '\\', '/':
		return append(dst, data[0]), 1
	case 'b':
		return append(dst, '\b'), 1
	case 'f':
		return append(dst, '\f'), 1
	case 'n':
		return append(dst, '\n'), 1
	case 'r':
		return append(dst, '\r'), 1
	case 't':
		return append(dst, '\t'), 1
	case 'u':
		first, ok := unit(data[1:])
		if !ok {
			return dst, 0
		}
		if utf16.IsSurrogate(first) && len(data) > 6 && data[5] == '\\' && data[6] == 'u' {
			if second, ok := unit(data[7:]); ok {
				return utf8.AppendRune(dst, utf16.DecodeRune(first, second)), 11
			}
		}
		return utf8.AppendRune(dst, first), 5
	}
	return dst, 0
}

// unit is the UTF-16 unit of four hexadecimal digits.
func unit(data []byte) (rune, bool) {
	var raw [2]byte
	if len(data) < 4 {
		return 0, false
	}
	if _, err := hex.Decode(raw[:], data[:4]); err != nil {
		return 0, false
	}
	return rune(raw[0])<<8 | rune(raw[1]), true
}

// plain undoes appendValue in place.
func plain(value []byte) ([]byte, error) {
	if !bytes.HasPrefix(value, []byte(hexMark)) {
		return value, nil
	}
	digits := value[len(hexMark):]
	n, err := hex.Decode(value, digits)
	if err != nil {
		return nil, fmt.Errorf("a value begins with %s, and no bytes follow: %w", hexMark, err)
	}
	return value[:n], nil
}
