package redis

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// Usage asks all members at once. What their Sentinels use is not in it.
func (o *observer) Usage(ctx context.Context, timeout time.Duration) []stores.Usage {
	return gatherUsage(ctx, timeout, o.names, o.members)
}

// Usage asks all members at once.
func (o *clusterObserver) Usage(ctx context.Context, timeout time.Duration) []stores.Usage {
	return gatherUsage(ctx, timeout, o.names, o.members)
}

func gatherUsage(ctx context.Context, timeout time.Duration, names []string, members []*watched) []stores.Usage {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return stores.GatherUsage(len(members), func(i int) *stores.Usage {
		used, err := members[i].usage(ctx)
		if err != nil {
			return nil
		}
		used.Member = names[i]
		return used
	})
}

func (w *watched) usage(ctx context.Context) (*stores.Usage, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text, err := askInfo(ctx, w.server, "server", "cpu", "memory", "persistence")
	if err != nil {
		return nil, err
	}
	return readUsage(text)
}

// readUsage adds up the time of the process and of its children, which write its files and
// copies. The text is of a store of the run's choice.
func readUsage(text string) (*stores.Usage, error) {
	used := &stores.Usage{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		var err error
		switch name {
		case "run_id":
			used.Process = stores.ProcessOf(value)
		case "used_cpu_user", "used_cpu_sys", "used_cpu_user_children", "used_cpu_sys_children":
			var seconds float64
			if seconds, err = strconv.ParseFloat(value, 64); err == nil && !(seconds >= 0 && seconds < math.MaxInt32) {
				err = strconv.ErrRange
			}
			if used.CPUMicros == nil {
				used.CPUMicros = new(int64)
			}
			*used.CPUMicros = min(*used.CPUMicros+int64(seconds*1e6), math.MaxInt64/2)
		case "used_memory_rss":
			used.ResidentBytes, err = readBytes(value)
		case "aof_current_size": // where there is such a file
			used.DataBytes, err = readBytes(value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s is %.40q: %w", name, value, err)
		}
	}
	return used, nil
}

func readBytes(text string) (*int64, error) {
	bytes, err := strconv.ParseUint(text, 10, 62)
	count := int64(bytes)
	return &count, err
}
