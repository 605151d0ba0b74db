package live

import (
	"bytes"
	"encoding/json"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/instant"
)

const (
	// mostSelf is how much is read of what each worker says of itself, in bytes: some seconds.
	mostSelf = 16 << 10
	// idleSeconds is for how long a worker that says that it runs may send no rows until it is taken for idle. Its files are sent one after
	// the other, so what it says of itself may come that much before its rows.
	idleSeconds = 5
)

// hear notes of each worker's files until when it has said that it runs. A worker says so every second, but one that does nothing
// writes no rows. It must come before the rows are read, for they may come in the meantime.
func (of *files) hear(read Reader) error {
	heard := map[string]int64{}
	for _, files := range [][]file{of.bins, of.logs} {
		for i := range files {
			f := &files[i]
			if f.self == "" || f.ended {
				continue
			}
			at, ok := heard[f.self]
			if !ok {
				tail, err := read(f.self, mostSelf)
				if err != nil {
					return err
				}
				at = lastSecond(tail.Text)
				heard[f.self] = at
			}
			f.heard = at
		}
	}
	return nil
}

// lastSecond is the end, in Unix nanoseconds, of the last second that a worker told of; 0 without one.
func lastSecond(tail []byte) (atUnixNanos int64) {
	wholeLines(tail, func(text []byte) {
		var line bundle.SelfLine
		if bytes.Contains(text, []byte(`"second"`)) && json.Unmarshal(text, &line) == nil && line.Second != nil {
			atUnixNanos = max(0, line.AtUnixNanos)
		}
	})
	return atUnixNanos
}

// quiet is the newest second, counted from that begin, of which all rows of an idle worker would have come; -1 where there is none.
func (f file) quiet(beginUnixNanos int64) int64 {
	return max(-1, (f.heard-beginUnixNanos)/instant.NanosPerSecond-1-idleSeconds)
}
