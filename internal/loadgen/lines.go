package loadgen

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

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
	return l.writeAt(l.clock.Now(), line)
}

// writeAt stamps the line with an instant, since it may have to wait for the disk.
func (l *lines) writeAt(at time.Time, line bundle.SelfLine) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	line.AtUnixNanos = l.clock.ServerNanos(at)
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("a line about the worker itself: %w", err)
	}
	_, err = l.to.Write(append(text, '\n'))
	return err
}
