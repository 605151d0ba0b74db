package host

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
)

// Lock keeps two commands from changing the cluster at once; the second one
// waits, and says so. The kernel lets go of it when the holder ends.
func Lock(path string, report *progress.Reporter) (release func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("taking the lock: %w", err)
	}
	if unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		err = report.Step("waiting for another localcluster command to end", func(func(string)) error {
			for {
				if err := unix.Flock(int(file.Fd()), unix.LOCK_EX); err != unix.EINTR {
					return err
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return func() { file.Close() }, nil
}
