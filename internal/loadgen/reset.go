package loadgen

import (
	"context"
	"fmt"

	"github.com/kvbench/kvbench/internal/workload"
)

// Reset empties the workload's table through the driver.
func (j *Job) Reset(ctx context.Context) error {
	spec, err := workload.Parse(j.Workload.Properties, j.Source)
	if err != nil {
		return fmt.Errorf("workload %q: %w", j.Workload.Name, err)
	}
	driver, err := j.connect(ctx, 0, 0)
	if err != nil {
		return err
	}
	defer driver.Close()
	if err := driver.Reset(ctx, spec.Table); err != nil {
		return fmt.Errorf("empty table %q of %s: %w", spec.Table, j.Store.Name, err)
	}
	return nil
}
