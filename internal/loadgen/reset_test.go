package loadgen

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// slowReset takes a while to empty a table, or fails.
type slowReset struct {
	*keeper
	takes time.Duration
	err   error
}

func (s slowReset) Reset(context.Context, string) error {
	time.Sleep(s.takes)
	return s.err
}

func TestAResetTellsHowLongItTook(t *testing.T) {
	t.Parallel()
	j, server, keeper := loadJob(t, 0, 1, 0, 1)
	j.Store.Open = func(stores.Config) (stores.Driver, error) {
		return slowReset{keeper: keeper, takes: 30 * time.Millisecond}, nil
	}
	if err := j.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	finish := server.read(t, j.writer(bundle.RoleReset)).finish
	if took := time.Duration(finish.EndedUnixNanos - finish.StartedUnixNanos); took < 30*time.Millisecond || took > 10*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestAResetThatFailsTellsNothing(t *testing.T) {
	t.Parallel()
	j, server, keeper := loadJob(t, 0, 1, 0, 1)
	j.Store.Open = func(stores.Config) (stores.Driver, error) {
		return slowReset{keeper: keeper, err: errors.New("not now")}, nil
	}
	if err := j.Reset(t.Context()); err == nil {
		t.Fatal("it says that the table is empty")
	}
	if name := j.writer(bundle.RoleReset).File(bundle.Jsonl); server.ended[name] {
		t.Errorf("%s is complete", name)
	}
}
