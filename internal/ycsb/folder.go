package ycsb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen"
)

// folder is a bundle on this machine, in the place of the results server. The worker
// writes its files where they are to stay, so there is nothing to ship.
type folder struct {
	path  string
	clock *loadgen.Clock
	// started is told when a measurement will begin.
	started func(at time.Time)
}

// notice is how long before its start a worker hears of it: its job asks for half a second.
const notice = 600 * time.Millisecond

// Claim always succeeds: the folder was empty.
func (f *folder) Claim(_ context.Context, _ string, w bundle.Writer) error {
	line, err := json.Marshal(bundle.Claim{Writer: w, AtUnixNanos: f.clock.ServerNanos(f.clock.Now())})
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(f.path, bundle.ClaimsFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}

// AwaitStart starts at a full second, so that the logs' rows, which are cut there, hold
// nothing of the time before.
func (f *folder) AwaitStart(_ context.Context, _, workload string) (bundle.Start, error) {
	start := bundle.Start{StartUnixNanos: nextSecond(f.clock.ServerNanos(f.clock.Now()) + int64(notice))}
	f.started(f.clock.Local(start.StartUnixNanos))
	return start, f.put(bundle.StartFile(workload), start)
}

func nextSecond(unixNanos int64) int64 {
	second := int64(time.Second)
	return (unixNanos + second - 1) / second * second
}

// EstimateClock compares the clock with itself.
func (f *folder) EstimateClock(context.Context, int) (bundle.Clock, error) {
	return bundle.Clock{}, nil
}

// Append has the bytes already.
func (f *folder) Append(_ context.Context, _, _ string, offset int64, data []byte) (int64, error) {
	return offset + int64(len(data)), nil
}

// NearlyFull is a server's word.
func (f *folder) NearlyFull() bool { return false }

// End marks a file as complete.
func (f *folder) End(_ context.Context, _, name string, mark bundle.End) error {
	return f.put(bundle.EndFile(name), mark)
}

func (f *folder) put(name string, content any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return os.WriteFile(filepath.Join(f.path, name), append(text, '\n'), 0o644)
}
