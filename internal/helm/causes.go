package helm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
)

// causes is a log handler that keeps why Helm's uninstall skipped or failed to delete an
// object. Helm logs that and drops it: it answers "failed to delete release: x" for an
// error of the API server, and success for an object that it could not read and so has
// left in place.
type causes struct {
	errs []error
}

// incomplete are the messages (pkg/action/uninstall.go) that mean that something is left.
var incomplete = []string{
	"uninstall: Failed to delete release",
	"skipping delete of resource because ownership could not be verified",
}

func (c *causes) Enabled(context.Context, slog.Level) bool { return true }

func (c *causes) Handle(_ context.Context, record slog.Record) error {
	if !slices.Contains(incomplete, record.Message) {
		return nil
	}
	found := false
	record.Attrs(func(attr slog.Attr) bool {
		switch value := attr.Value.Any().(type) {
		case error:
			c.errs, found = append(c.errs, value), true
		case []error:
			c.errs, found = append(c.errs, value...), true
		}
		return true
	})
	if !found {
		c.errs = append(c.errs, fmt.Errorf("%s", record.Message))
	}
	return nil
}

func (c *causes) WithAttrs([]slog.Attr) slog.Handler { return c }
func (c *causes) WithGroup(string) slog.Handler      { return c }

func (c *causes) err() error { return errors.Join(c.errs...) }
