package resp

import (
	"errors"
	"fmt"
	"strconv"
)

// Error is an answer that says that a command failed. Nothing of it was carried out, unless Redis says
// otherwise of that command.
type Error string

func (e Error) Error() string { return string(e) }

// errKind is an answer of another kind than the one that the command has.
var errKind = errors.New("the answer is of another kind")

// Value is an answer, or an item of one. It is valid until the next Read of its Answer.
type Value struct {
	of *Answer
	at int
}

func (v Value) node() *node { return &v.of.nodes[v.at] }

// Err is not nil if the answer is an error; it is an Error.
func (v Value) Err() error {
	if n := v.node(); n.kind == '-' {
		return Error(v.of.text[n.from:n.to])
	}
	return nil
}

// IsNull says that it is the null of a string, or of a list.
func (v Value) IsNull() bool { return v.node().kind == 0 }

// Bytes are those of a string; not ok if it is none.
func (v Value) Bytes() (bytes []byte, ok bool) {
	n := v.node()
	if n.kind != '$' && n.kind != '+' {
		return nil, false
	}
	return v.of.text[n.from:n.to:n.to], true
}

// Text is a string.
func (v Value) Text() (string, error) {
	bytes, ok := v.Bytes()
	if !ok {
		return "", v.wrong("a string")
	}
	return string(bytes), nil
}

// Number is an integer.
func (v Value) Number() (int64, error) {
	if n := v.node(); n.kind == ':' {
		return n.number, nil
	}
	return 0, v.wrong("a number")
}

// Unsigned is what Redis answers with where a number may be a string, such as a cursor.
func (v Value) Unsigned() (uint64, error) {
	text, err := v.Text()
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(text, 10, 64)
}

// List is a list's items, to be gone through with Next; not ok if it is none.
func (v Value) List() (items Items, ok bool) {
	n := v.node()
	if n.kind != '*' {
		return Items{}, false
	}
	return Items{of: v.of, at: v.at + 1, left: int(n.number)}, true
}

// Texts are the items of a list of strings.
func (v Value) Texts() ([]string, error) {
	items, ok := v.List()
	if !ok {
		return nil, v.wrong("a list")
	}
	texts := make([]string, 0, items.Left())
	for item, more := items.Next(); more; item, more = items.Next() {
		text, err := item.Text()
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func (v Value) wrong(wanted string) error {
	if err := v.Err(); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s was expected", errKind, wanted)
}

// Items are what is left of a list.
type Items struct {
	of   *Answer
	at   int
	left int
}

// Left is how many there are.
func (i *Items) Left() int { return i.left }

// Next takes the next one.
func (i *Items) Next() (item Value, more bool) {
	if i.left == 0 {
		return Value{}, false
	}
	item = Value{i.of, i.at}
	i.left--
	if n := item.node(); n.kind == '*' {
		i.at = n.to
	} else {
		i.at++
	}
	return item, true
}
