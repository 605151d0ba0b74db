package loadgen

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// ownTasks has a folder for each thread of this process.
const ownTasks = "/proc/self/task"

// threads knows how long each thread of the process has run or waited for a core, by the
// kernel's account (Linux, Documentation/scheduler/sched-stats.rst). The files stay open, so that a
// look takes some microseconds.
type threads struct {
	dir     string
	open    map[string]*thread
	looks   int
	scratch [96]byte
}

type thread struct {
	file   *os.File
	active time.Duration // ran or waited, in all
}

// looksPerList is how often threads are looked at before new ones are looked for.
const looksPerList = 50

// active is the longest that one thread has run or waited for a core since the last look.
func (t *threads) active() (longest time.Duration, err error) {
	if t.looks%looksPerList == 0 {
		if err := t.list(); err != nil {
			return 0, fmt.Errorf("see how long the threads run and wait for a core: %w", err)
		}
	}
	t.looks++
	for id, thread := range t.open {
		before := thread.active
		if err := t.read(thread); err != nil {
			thread.file.Close() // the thread has ended
			delete(t.open, id)
			continue
		}
		longest = max(longest, thread.active-before)
	}
	if len(t.open) == 0 {
		return 0, errors.New("the kernel doesn't say how long threads wait for a core")
	}
	return longest, nil
}

// list opens the files of new threads.
func (t *threads) list() error {
	entries, err := os.ReadDir(t.dir)
	if err != nil {
		return err
	}
	if t.open == nil {
		t.open = map[string]*thread{}
	}
	for _, entry := range entries {
		id := entry.Name()
		if t.open[id] != nil {
			continue
		}
		file, err := os.Open(filepath.Join(t.dir, id, "schedstat"))
		if err != nil {
			continue // it has ended, or the kernel has no such file
		}
		one := &thread{file: file}
		if err := t.read(one); err != nil {
			file.Close()
			continue
		}
		t.open[id] = one
	}
	return nil
}

func (t *threads) read(one *thread) error {
	n, err := one.file.ReadAt(t.scratch[:], 0)
	if n == 0 {
		return err
	}
	one.active, err = parseActive(t.scratch[:n])
	return err
}

func (t *threads) close() {
	for _, thread := range t.open {
		thread.file.Close()
	}
}

// parseActive adds the first two numbers of "<ran> <waited> <times>", in nanoseconds.
func parseActive(text []byte) (time.Duration, error) {
	ran, text, _ := bytes.Cut(text, []byte{' '})
	waited, _, ok := bytes.Cut(text, []byte{' '})
	a, err := strconv.ParseInt(string(ran), 10, 64)
	b, err2 := strconv.ParseInt(string(waited), 10, 64)
	if err := errors.Join(err, err2); err != nil || !ok {
		return 0, fmt.Errorf("scheduler statistics of %q and %q are no times of running and waiting", ran, waited)
	}
	return time.Duration(a + b), nil
}
