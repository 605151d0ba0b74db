package parse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/kvbench/kvbench/internal/imported"
)

// member is one of an object of JSON, in the object's order.
type member struct {
	name   string
	value  json.RawMessage // begins with its first character
	offset int64           // of the value, in the document
}

// line is the number of the line that the value begins in.
func (m member) line(content []byte) int { return lineAt(content, m.offset+1) }

// membersOf reads a document that is one object.
func membersOf(content []byte) ([]member, error) { return membersAt(content, 0, int64(len(content))) }

// nested reads a member that is an object.
func nested(content []byte, of member) ([]member, error) {
	end := of.offset + int64(len(of.value))
	return membersAt(content, of.offset, end)
}

// membersAt reads the object in a part of the document. Errors have lines of the whole document.
func membersAt(content []byte, from, to int64) ([]member, error) {
	part := content[from:to]
	decoder := json.NewDecoder(bytes.NewReader(part))
	fail := func(err error) error {
		offset := from + decoder.InputOffset()
		var syntax *json.SyntaxError
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("line %d: the JSON is cut off", lineAt(content, to))
		case errors.As(err, &syntax):
			offset = max(offset, from+syntax.Offset)
		}
		return fmt.Errorf("line %d: %w", lineAt(content, offset), err)
	}
	token, err := decoder.Token()
	if err != nil {
		return nil, fail(err)
	}
	if token != json.Delim('{') {
		return nil, fail(errors.New("it is no object"))
	}
	var members []member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, fail(err)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, fail(err)
		}
		if len(members) == 10*imported.MaxOperations {
			return nil, fail(errors.New("an object has too many members"))
		}
		text, _ := name.(string)
		members = append(members, member{text, value, from + decoder.InputOffset() - int64(len(value))})
	}
	if _, err := decoder.Token(); err != nil {
		return nil, fail(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fail(errors.New("something follows after the end of the JSON"))
	}
	return members, nil
}
