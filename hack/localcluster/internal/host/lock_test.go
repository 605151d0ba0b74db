package host

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
)

func TestALockIsHeldByOne(t *testing.T) {
	path, report := filepath.Join(t.TempDir(), "lock"), progress.New()
	release, err := Lock(t.Context(), path, report)
	if err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Lock(cancelled, path, report); !errors.Is(err, context.Canceled) {
		t.Errorf("the second, which is cancelled, gets %v", err)
	}
	release()
	again, err := Lock(t.Context(), path, report)
	if err != nil {
		t.Fatal(err)
	}
	again()
}
