package host

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
)

// Lock keeps two commands from doing the same at once; the second one waits, and
// says so, until ctx ends. The kernel lets go of it when the holder ends.
func Lock(ctx context.Context, path string, report *progress.Reporter) (release func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("taking the lock: %w", err)
	}
	if unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		err = report.Step("waiting for another localcluster command", func(func(string)) error { return wait(ctx, file) })
		if err != nil {
			return nil, err
		}
	}
	return func() { file.Close() }, nil
}

// wait takes the lock. One that comes after the end of ctx is let go.
func wait(ctx context.Context, file *os.File) error {
	taken := make(chan error)
	go func() {
		err := take(file)
		select {
		case taken <- err:
		case <-ctx.Done():
			file.Close()
		}
	}()
	select {
	case err := <-taken:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func take(file *os.File) error {
	for {
		if err := unix.Flock(int(file.Fd()), unix.LOCK_EX); err != unix.EINTR {
			return err
		}
	}
}
