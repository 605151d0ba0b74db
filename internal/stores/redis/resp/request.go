package resp

import "strconv"

// Request is one or more commands, as they are sent together.
type Request struct {
	out      []byte
	commands int
}

// Reset empties it.
func (r *Request) Reset() { r.out, r.commands = r.out[:0], 0 }

// Bytes are what is sent. They are the request's until it is changed.
func (r *Request) Bytes() []byte { return r.out }

// Commands is how many answers it has.
func (r *Request) Commands() int { return r.commands }

// Begin begins a command of so many words, its name among them.
func (r *Request) Begin(words int) {
	r.commands++
	r.out = appendLength(r.out, '*', words)
}

// Command adds a whole command.
func (r *Request) Command(words ...string) {
	r.Begin(len(words))
	for _, word := range words {
		r.Text(word)
	}
}

// Append adds the commands of another one.
func (r *Request) Append(other *Request) {
	r.out = append(r.out, other.out...)
	r.commands += other.commands
}

// Text adds a word.
func (r *Request) Text(word string) {
	r.out = appendLength(r.out, '$', len(word))
	r.out = append(append(r.out, word...), '\r', '\n')
}

// Word adds a word, which may have any bytes.
func (r *Request) Word(word []byte) {
	r.out = appendLength(r.out, '$', len(word))
	r.out = append(append(r.out, word...), '\r', '\n')
}

// Number adds a number.
func (r *Request) Number(number int64) {
	var digits [20]byte
	r.Word(strconv.AppendInt(digits[:0], number, 10))
}

func appendLength(dst []byte, kind byte, length int) []byte {
	dst = strconv.AppendInt(append(dst, kind), int64(length), 10)
	return append(dst, '\r', '\n')
}
