package memcached

import (
	"bufio"

	"github.com/kvbench/kvbench/internal/stores"
)

// answer is the one to an operation's command.
type answer struct {
	kind    stores.Kind
	missing bool          // there is no such item
	value   []byte        // of a read
	refusal *stores.Error // nil, or what memcached answered instead
}

// read reads it, whole. It is an error after which the connection can't go on.
func (a *answer) read(in *bufio.Reader) error {
	a.missing = false
	line, err := readLine(in)
	if err != nil {
		return err
	}
	switch string(line) {
	case "HD": // stored, or deleted
		if a.kind != stores.Read {
			return nil
		}
	case "EN", "NF":
		a.missing = true
		return nil
	}
	if a.kind == stores.Read && len(line) > 3 && string(line[:3]) == "VA " {
		a.value, err = readValue(in, line, a.value)
		return err
	}
	var usable bool
	if usable, a.refusal = refused(a.kind, line); !usable {
		return a.refusal
	}
	return nil
}
