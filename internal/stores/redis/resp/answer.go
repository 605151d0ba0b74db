package resp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// What an answer may make us keep. It is of a store of the run's choice.
const (
	maxText  = 256 << 20 // bytes of all its strings
	maxNodes = 1 << 22   // strings, numbers and lists
	maxDepth = 8         // lists in each other
	// ahead is how much room is made for a string of which nothing has come yet.
	ahead = 1 << 20
)

// ErrProtocol is what came and is no answer of Redis'.
var ErrProtocol = errors.New("the answer is none of Redis'")

// node is a string, a number, or a list, whose items follow it.
type node struct {
	kind     byte  // its first byte in the protocol; 0 for null
	number   int64 // of an integer; of a list, how many items it has
	from, to int   // a string's place in the text; of a list, to is the node behind its last item
}

// Answer is the answers to the commands of one request.
type Answer struct {
	nodes []node
	tops  []int // where each command's answer begins
	text  []byte
}

// Read reads so many answers, in place of those before. After an error it has those that came whole, and
// what follows on the connection belongs to nothing.
func (a *Answer) Read(in *bufio.Reader, commands int) error {
	a.Reset()
	for range commands {
		a.tops = append(a.tops, len(a.nodes))
		if err := a.read(in, 0); err != nil {
			a.tops = a.tops[:len(a.tops)-1]
			return err
		}
	}
	return nil
}

// Reset forgets all answers.
func (a *Answer) Reset() { a.nodes, a.tops, a.text = a.nodes[:0], a.tops[:0], a.text[:0] }

// Len is how many answers there are.
func (a *Answer) Len() int { return len(a.tops) }

// Of is the answer to the command with that number, from 0 on. It is valid until the next Read.
func (a *Answer) Of(command int) Value { return Value{a, a.tops[command]} }

func (a *Answer) read(in *bufio.Reader, depth int) error {
	line, err := readLine(in)
	if err != nil {
		return err
	}
	if len(line) == 0 || len(a.nodes) >= maxNodes {
		return ErrProtocol
	}
	n := node{kind: line[0]}
	rest := line[1:]
	at := len(a.nodes)
	switch n.kind {
	case '+', '-':
		n.from = len(a.text)
		if err := a.grow(len(rest)); err != nil {
			return err
		}
		a.text = append(a.text, rest...)
		n.to = len(a.text)
		a.nodes = append(a.nodes, n)
		return nil
	case ':':
		if n.number, err = parseNumber(rest); err != nil {
			return err
		}
		a.nodes = append(a.nodes, n)
		return nil
	case '$', '*':
		length, err := parseNumber(rest)
		switch {
		case err != nil:
			return err
		case length == -1:
			a.nodes = append(a.nodes, node{})
			return nil
		case length < 0:
			return ErrProtocol
		case n.kind == '$':
			return a.readString(in, n, length)
		}
		if depth == maxDepth || length > maxNodes {
			return ErrProtocol
		}
		n.number = length
		a.nodes = append(a.nodes, n)
		for range length {
			if err := a.read(in, depth+1); err != nil {
				return err
			}
		}
		a.nodes[at].to = len(a.nodes)
		return nil
	}
	return fmt.Errorf("%w: %.50q", ErrProtocol, line)
}

// readString reads the bytes of a string and the end of its line.
func (a *Answer) readString(in *bufio.Reader, n node, length int64) error {
	if length > maxText {
		return ErrProtocol
	}
	n.from = len(a.text)
	if err := a.grow(int(length)); err != nil {
		return err
	}
	for left := int(length); left > 0; {
		step := min(left, ahead)
		from := len(a.text)
		a.text = slices.Grow(a.text, step)[:from+step]
		if _, err := io.ReadFull(in, a.text[from:]); err != nil {
			return err
		}
		left -= step
	}
	n.to = len(a.text)
	a.nodes = append(a.nodes, n)
	end, err := in.Peek(2)
	switch {
	case err != nil:
		return err
	case end[0] != '\r' || end[1] != '\n':
		return ErrProtocol
	}
	_, err = in.Discard(2)
	return err
}

func (a *Answer) grow(bytes int) error {
	if len(a.text)+bytes > maxText {
		return fmt.Errorf("%w: it is longer than %d MiB", ErrProtocol, maxText>>20)
	}
	return nil
}

// readLine returns a line without its end. It is valid until the next read.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, ErrProtocol
	}
	if err != nil {
		return nil, err
	}
	if n := len(line); n >= 2 && line[n-2] == '\r' {
		return line[:n-2], nil
	}
	return nil, ErrProtocol
}

// parseNumber takes no memory: strconv keeps nothing of a short text.
func parseNumber(digits []byte) (int64, error) {
	number, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		return 0, ErrProtocol
	}
	return number, nil
}

// Take takes over the answer to a command of another Answer, which has none afterwards.
func (a *Answer) Take(other *Answer, command int) {
	*a, *other = *other, *a
	a.tops = append(a.tops[:0], a.tops[command])
	other.Reset()
}
