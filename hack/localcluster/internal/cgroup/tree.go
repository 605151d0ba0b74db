package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Make creates path, and its parents, in every hierarchy, ready to take processes.
func Make(hierarchies []Hierarchy, path string) error {
	for _, h := range hierarchies {
		dir := h.Mount
		for _, element := range strings.Split(strings.Trim(path, "/"), "/") {
			if h.V2 {
				delegate(dir)
			}
			dir = filepath.Join(dir, element)
			if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("making the cgroup %s: %w", dir, err)
			}
			if slices.Contains(h.Controllers, "cpuset") {
				if err := inheritCPUs(dir); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// delegate switches the controllers on for the children of a v2 cgroup, one by
// one: a machine may lack some, and Missing has already judged.
func delegate(dir string) {
	for _, c := range []string{"cpu", "cpuset", "memory", "pids", "io", "hugetlb"} {
		_ = os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte("+"+c), 0o644)
	}
}

// inheritCPUs copies the parent's CPUs and memory nodes: an empty cpuset takes no process.
func inheritCPUs(dir string) error {
	for _, name := range []string{"cpuset.cpus", "cpuset.mems"} {
		own, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if strings.TrimSpace(string(own)) != "" {
			continue
		}
		parents, err := os.ReadFile(filepath.Join(filepath.Dir(dir), name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), parents, 0o644); err != nil {
			return fmt.Errorf("copying %s to %s: %w", name, dir, err)
		}
	}
	return nil
}

// Join moves the process into path in every hierarchy.
func Join(hierarchies []Hierarchy, path string, pid int) error {
	for _, h := range hierarchies {
		procs := filepath.Join(h.Mount, path, "cgroup.procs")
		if err := os.WriteFile(procs, []byte(strconv.Itoa(pid)), 0o644); err != nil {
			return fmt.Errorf("joining the cgroup %s: %w", procs, err)
		}
	}
	return nil
}

// Weigh gives path this weight beside its siblings, of which each has 1 unless told otherwise, when
// they want more cores than there are.
func Weigh(hierarchies []Hierarchy, path string, weight float64) error {
	for _, h := range hierarchies {
		file, usual := "", 0.0
		switch {
		case slices.Contains(h.Controllers, "cpu"):
			file, usual = "cpu.shares", 1024
		case h.V2:
			file, usual = "cpu.weight", 100
		default:
			continue
		}
		err := writeIfThere(filepath.Join(h.Mount, path, file), strconv.Itoa(int(usual*weight)))
		// Beside a controller of version 1, version 2 has no such file.
		if err != nil && !(h.V2 && errors.Is(err, fs.ErrNotExist)) {
			return fmt.Errorf("weighing the cgroup %s: %w", path, err)
		}
	}
	return nil
}

// Processes lists who lives below path in any hierarchy.
func Processes(hierarchies []Hierarchy, path string) []int {
	found := map[int]bool{}
	walk(hierarchies, path, func(dir string) {
		content, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		if err != nil {
			return
		}
		for _, field := range strings.Fields(string(content)) {
			// 0 is a process of another pid namespace.
			if pid, err := strconv.Atoi(field); err == nil && pid > 1 && pid != os.Getpid() {
				found[pid] = true
			}
		}
	})
	pids := make([]int, 0, len(found))
	for pid := range found {
		pids = append(pids, pid)
	}
	slices.Sort(pids)
	return pids
}

// Kill ends every process below path, and returns when none is left.
func Kill(hierarchies []Hierarchy, path string, timeout time.Duration) error {
	deadline := time.Now().Add(timeout)
	for {
		pids := Processes(hierarchies, path)
		if len(pids) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes %v in the cgroup %s do not end", pids, path)
		}
		// A frozen process takes its SIGKILL only once it is thawed.
		walk(hierarchies, path, func(dir string) {
			_ = writeIfThere(filepath.Join(dir, "freezer.state"), "THAWED")
			_ = writeIfThere(filepath.Join(dir, "cgroup.freeze"), "0")
		})
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func writeIfThere(file, content string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(content)
	return err
}

// Remove deletes path and everything below it, from the leaves up.
func Remove(hierarchies []Hierarchy, path string) error {
	var dirs []string
	walk(hierarchies, path, func(dir string) { dirs = append(dirs, dir) })
	// The longest first: children before their parents.
	slices.SortFunc(dirs, func(a, b string) int { return len(b) - len(a) })
	var failed error
	for _, dir := range dirs {
		err := os.Remove(dir)
		// The kernel frees a cgroup a moment after its last process ended.
		for i := 0; i < 50 && errors.Is(err, syscall.EBUSY); i++ {
			time.Sleep(20 * time.Millisecond)
			err = os.Remove(dir)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, fmt.Errorf("removing the cgroup %s: %w", dir, err))
		}
	}
	return failed
}

// Exists says whether path is there in any hierarchy.
func Exists(hierarchies []Hierarchy, path string) bool {
	found := false
	walk(hierarchies, path, func(string) { found = true })
	return found
}

func walk(hierarchies []Hierarchy, path string, visit func(dir string)) {
	if strings.Trim(path, "/") == "" {
		panic("cgroup: refusing to walk the root of a hierarchy")
	}
	for _, h := range hierarchies {
		_ = filepath.WalkDir(filepath.Join(h.Mount, path), func(dir string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				visit(dir)
			}
			return nil
		})
	}
}

// Memory is what the processes below path use, in bytes; 0 when it can't be told.
func Memory(hierarchies []Hierarchy, path string) uint64 {
	for _, h := range hierarchies {
		file := ""
		switch {
		case slices.Contains(h.Controllers, "memory"):
			file = "memory.usage_in_bytes"
		case h.V2:
			file = "memory.current"
		}
		content, err := os.ReadFile(filepath.Join(h.Mount, path, file))
		if file == "" || err != nil {
			continue
		}
		if bytes, err := strconv.ParseUint(strings.TrimSpace(string(content)), 10, 64); err == nil {
			return bytes
		}
	}
	return 0
}
