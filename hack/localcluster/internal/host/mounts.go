package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Nodes mount in namespaces of their own, whose mounts end with their processes.
// What is unmounted here is what anything else left below the state folder.

// mountsBelow lists the mount points below dir, the deepest and latest first.
func mountsBelow(mountinfo, dir string) []string {
	var found []string
	for line := range strings.Lines(mountinfo) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		// The kernel writes blanks and the like in octal.
		target := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(fields[4])
		if target == dir || strings.HasPrefix(target, dir+"/") {
			found = append(found, target)
		}
	}
	slices.Reverse(found)
	slices.SortStableFunc(found, func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") })
	return found
}

// Mounts lists what is mounted below dir.
func Mounts(dir string) ([]string, error) {
	content, err := os.ReadFile("/proc/self/mountinfo")
	return mountsBelow(string(content), dir), err
}

// UnmountBelow unmounts everything below dir.
func UnmountBelow(dir string) error {
	targets, err := Mounts(dir)
	for _, target := range targets {
		if e := unix.Unmount(target, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW); e != nil {
			err = errors.Join(err, fmt.Errorf("unmounting %s: %w", target, e))
		}
	}
	return err
}

// MakeMountPoints creates the folders that are missing and returns all that it
// made, parents too, so that they can be removed again.
func MakeMountPoints(dirs []string) ([]string, error) {
	var made []string
	for _, dir := range dirs {
		var missing []string
		for d := dir; d != "/"; d = filepath.Dir(d) {
			if _, err := os.Stat(d); err == nil {
				break
			}
			missing = append(missing, d)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return made, fmt.Errorf("making the folder %s for the nodes to mount on: %w", dir, err)
		}
		made = append(made, missing...)
	}
	return made, nil
}

// RemoveMountPoints removes those that are empty: whatever holds something by
// now is somebody's.
func RemoveMountPoints(dirs []string) {
	dirs = slices.Clone(dirs)
	slices.SortFunc(dirs, func(a, b string) int { return len(b) - len(a) })
	for _, dir := range dirs {
		_ = unix.Rmdir(dir)
	}
}
