package usage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/kubelet"
	results "github.com/kvbench/kvbench/internal/results/client"
)

// maxPendingUsage bounds what is kept for a results server that is away: a quarter of an hour of
// nine members.
const maxPendingUsage = 256 << 10

// file is one run's. Each process writes a file of its own.
type file struct {
	name    string
	offset  int64  // of pending
	pending []byte // lines that the results server lacks
	last    map[string]reading
}

// reading is the last that was told of a member.
type reading struct {
	pod              string
	stamp, dataStamp time.Time // of the node's clock
	atNanos          int64
}

// note adds what is new since the last look.
func (f *file) note(m runningMember, used *kubelet.PodUsage, now time.Time) {
	before := f.last[m.name]
	if before.pod != used.UID {
		before = reading{pod: used.UID}
	}
	line, is := bundle.UsageLine{Member: m.name, Pod: used.UID}, before
	// Ages are right to a second, and must not turn two looks round.
	at := now.Add(-used.Age).UnixNano()
	if used.CPUNanos != nil && !used.Stamp.Equal(before.stamp) && at > before.atNanos {
		is.stamp, is.atNanos = used.Stamp, at
		line.AtUnixNanos, line.CPUMicros = at, countOf(*used.CPUNanos/1000)
		if used.WorkingSetBytes != nil {
			line.WorkingSetBytes = countOf(*used.WorkingSetBytes)
		}
	}
	if used.Data != nil && !used.Data.Stamp.Equal(before.dataStamp) {
		is.dataStamp = used.Data.Stamp
		line.DataAtUnixNanos, line.DataBytes = now.Add(-used.Data.Age).UnixNano(), countOf(used.Data.Bytes)
	}
	if line.CPUMicros == nil && line.DataBytes == nil {
		return
	}
	text, err := json.Marshal(line)
	if err != nil || len(f.pending)+len(text) >= maxPendingUsage {
		return
	}
	f.last[m.name] = is
	f.pending = append(append(f.pending, text...), '\n')
}

// maxCount is far above what anything uses.
const maxCount = 1 << 60

// countOf is nil for a figure that is none.
func countOf(value uint64) *int64 {
	if value > maxCount {
		return nil
	}
	signed := int64(value)
	return &signed
}

// ship sends what the results server lacks. Its length says what arrived of an answer that was
// lost.
func (f *file) ship(ctx context.Context, sink Sink, run string) error {
	if len(f.pending) == 0 {
		return nil
	}
	length, err := sink.Append(ctx, run, f.name, f.offset, f.pending)
	if err != nil && !errors.Is(err, results.ErrOffset) {
		return err
	}
	arrived := length - f.offset
	if arrived < 0 || arrived > int64(len(f.pending)) {
		return fmt.Errorf("the file %s has %d bytes, where %d to %d were sent", f.name, length, f.offset, f.offset+int64(len(f.pending)))
	}
	f.offset, f.pending = length, bytes.Clone(f.pending[arrived:])
	return nil
}
