package progress

import (
	"context"
	"fmt"
	"time"
)

// Wait asks ready until it says yes, and fails with its last answer after
// timeout. ready says what is missing.
func Wait(ctx context.Context, timeout, every time.Duration, detail func(string), ready func(context.Context) (missing string, err error)) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	last := ""
	for {
		missing, err := ready(ctx)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err == nil && missing == "" {
			return nil
		}
		if missing != "" {
			last = missing
			detail(missing)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not ready after %s: %s", timeout, last)
		case <-time.After(every):
		}
	}
}
