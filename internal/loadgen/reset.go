package loadgen

import (
	"context"
	"fmt"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/workload"
)

// Reset empties the workload's table through the driver, and ships how long that took.
func (j *Job) Reset(ctx context.Context) error {
	writer := j.writer(bundle.RoleReset)
	if err := j.claim(ctx, writer); err != nil {
		return err
	}
	spec, err := workload.Parse(j.Workload.Properties, j.Source)
	if err != nil {
		return fmt.Errorf("workload %q: %w", j.Workload.Name, err)
	}
	driver, err := j.connect(ctx, 0, 0)
	if err != nil {
		return err
	}
	defer driver.Close()
	out, err := j.newOutput(ctx, writer, bundle.Jsonl)
	if err != nil {
		return err
	}
	defer out.close()
	began := j.Clock.Now()
	if err := driver.Reset(ctx, spec.Table); err != nil {
		return fmt.Errorf("empty table %q of %s: %w", spec.Table, j.Store.Name, err)
	}
	return out.finish(ctx, &bundle.Finish{StartedUnixNanos: j.Clock.ServerNanos(began), EndedUnixNanos: j.Clock.ServerNanos(j.Clock.Now())})
}
