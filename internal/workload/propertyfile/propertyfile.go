// Package propertyfile reads the files of a workload: Java's property files, and other text.
package propertyfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
)

// MaxBytes bounds a file.
const MaxBytes = 1 << 20

// maxProperties bounds the properties of a file.
const maxProperties = 10_000

// Read reads a Java .properties file, as YCSB's -P does: comments with # and !,
// names that end at =, : or a space, lines that a backslash continues, and escapes. Of a
// name that is there twice the last one counts. An error begins with name and line, such
// as "workloads/workloada:12: ".
//
// A byte-order mark of UTF-8 is left out. Bytes beyond ASCII are refused outside of comments: Java YCSB takes them for ISO 8859-1,
// go-ycsb for UTF-8.
func Read(r io.Reader, name string) (map[string]string, error) {
	properties := map[string]string{}
	if err := Add(r, name, properties, map[string]string{}); err != nil {
		return nil, err
	}
	return properties, nil
}

// Add reads as Read does, and adds to properties, over those that are there already. places takes for each property where
// it is, such as "workloads/workloada:12".
func Add(r io.Reader, name string, properties, places map[string]string) error {
	data, err := ReadText(r)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for lines := (propertyLines{rest: string(data)}); lines.next(); {
		place := fmt.Sprintf("%s:%d", name, lines.first)
		key, value, err := splitProperty(lines.line)
		if err == nil {
			properties[key], places[key] = value, place
			if len(properties) > maxProperties {
				err = fmt.Errorf("more than %d properties", maxProperties)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
	}
	return nil
}

// ReadText reads a file of at most MaxBytes bytes, without a byte-order mark of UTF-8.
func ReadText(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("longer than %d bytes; a property or histogram file is shorter", MaxBytes)
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, errors.New("is UTF-16, by the byte-order mark at its begin; save it as UTF-8")
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), nil
}

// propertyLines cuts a file into logical lines: without blank ones, comments, and
// indentation, and with continued lines joined.
type propertyLines struct {
	rest  string
	read  int    // natural lines
	line  string // the logical line
	first int    // number of its first natural line
}

const blanks = " \t\f"

func (l *propertyLines) next() bool {
	for l.rest != "" {
		line := strings.TrimLeft(l.cut(), blanks)
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		l.first = l.read
		var joined strings.Builder
		for continued(line) {
			joined.WriteString(line[:len(line)-1])
			line = strings.TrimLeft(l.cut(), blanks)
		}
		joined.WriteString(line)
		if l.line = joined.String(); l.line != "" {
			return true
		}
	}
	return false
}

// cut takes a natural line, which ends with \n, \r or \r\n.
func (l *propertyLines) cut() (line string) {
	l.read++
	end := strings.IndexAny(l.rest, "\r\n")
	if end < 0 {
		line, l.rest = l.rest, ""
		return line
	}
	line, rest := l.rest[:end], l.rest[end+1:]
	if l.rest[end] == '\r' {
		rest = strings.TrimPrefix(rest, "\n")
	}
	l.rest = rest
	return line
}

// continued reports whether an odd number of backslashes ends the line.
func continued(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// splitProperty takes a logical line apart: a name, one separator with blanks around it,
// and the rest.
func splitProperty(line string) (key, value string, err error) {
	end := 0
	for end < len(line) && !strings.ContainsRune("=:"+blanks, rune(line[end])) {
		if line[end] == '\\' {
			end++ // what follows a backslash separates nothing
		}
		end++
	}
	end = min(end, len(line))
	rest := strings.TrimLeft(line[end:], blanks)
	if rest != "" && (rest[0] == '=' || rest[0] == ':') {
		rest = strings.TrimLeft(rest[1:], blanks)
	}
	if key, err = unescape(line[:end]); err == nil {
		value, err = unescape(rest)
	}
	if err == nil && key == "" {
		err = errors.New("a value without a name; write name=value")
	}
	return key, value, err
}

var escapes = map[byte]byte{'t': '\t', 'n': '\n', 'r': '\r', 'f': '\f'}

func unescape(text string) (string, error) {
	var out strings.Builder
	var units []uint16 // of \u escapes that follow each other: one letter may need two
	flush := func() {
		out.WriteString(string(utf16.Decode(units)))
		units = units[:0]
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text) {
			i++
			if text[i] == 'u' {
				unit, err := strconv.ParseUint(text[i+1:min(i+5, len(text))], 16, 16)
				if err != nil || i+5 > len(text) {
					return "", errors.New(`\u needs four hexadecimal digits, such as \u00e9`)
				}
				units = append(units, uint16(unit))
				i += 4
				continue
			}
			c = text[i]
			if escaped, ok := escapes[c]; ok {
				c = escaped
			}
		}
		if c >= 0x80 {
			return "", fmt.Errorf(`the byte %#x is none of ASCII; write the character as \uXXXX`, c)
		}
		flush()
		out.WriteByte(c)
	}
	flush()
	return out.String(), nil
}
