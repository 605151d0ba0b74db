package loadgen

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/kvbench/kvbench/internal/bundle"
)

// lines writes what a worker says of itself. Safe for concurrent use.
type lines struct {
	mu    sync.Mutex
	to    io.Writer
	clock *Clock
}

// write stamps the line with the present time and appends it.
func (l *lines) write(line bundle.SelfLine) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	line.AtUnixNanos = l.clock.ServerNanos(l.clock.Now())
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("a line about the worker itself: %w", err)
	}
	_, err = l.to.Write(append(text, '\n'))
	return err
}
