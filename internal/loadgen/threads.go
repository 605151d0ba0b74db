package loadgen

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

// ownTasks has a folder for each thread of this process.
const ownTasks = "/proc/self/task"

// threads knows how long each thread of the process has run, and waited for a core, by the
// kernel's account (Linux, Documentation/scheduler/sched-stats.rst). The files stay open, so that a
// look takes some microseconds.
type threads struct {
	dir     string
	open    map[string]*thread
	looks   int
	scratch [96]byte
}

type thread struct {
	file *os.File
	spent
}

// spent is what a thread has spent since its begin.
type spent struct{ ran, waited time.Duration }

// activity is what the threads of the process did between two looks.
type activity struct {
	longest     time.Duration // that one of them ran or waited for a core
	ran, waited time.Duration // all together
	longestWait time.Duration // that one of them waited
	longWaits   time.Duration // of waited, what one of them waited for most of the time at once
}

// add takes in what they did until the next look.
func (a *activity) add(b activity) {
	a.longest = max(a.longest, b.longest)
	a.ran += b.ran
	a.waited += b.waited
	a.longestWait = max(a.longestWait, b.longestWait)
	a.longWaits += b.longWaits
}

// looksPerList is how often threads are looked at before new ones are looked for.
const looksPerList = 50

// look tells what they did since the last look, which is so long ago. What a thread waited
// in one is known, and not in how many waits: it counts as a long one if it is most of the
// time.
func (t *threads) look(since time.Duration) (all activity, err error) {
	if t.looks%looksPerList == 0 {
		if err := t.list(); err != nil {
			return all, fmt.Errorf("see how long the threads run and wait for a core: %w", err)
		}
	}
	t.looks++
	for id, thread := range t.open {
		before := thread.spent
		if err := t.read(thread); err != nil {
			thread.file.Close() // the thread has ended
			delete(t.open, id)
			continue
		}
		ran, waited := thread.ran-before.ran, thread.waited-before.waited
		did := activity{longest: ran + waited, ran: ran, waited: waited, longestWait: waited}
		if waited >= max(bundle.LongWaitMicros*time.Microsecond, since/2) {
			did.longWaits = waited
		}
		all.add(did)
	}
	if len(t.open) == 0 {
		return all, errors.New("the kernel doesn't say how long threads wait for a core")
	}
	return all, nil
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
	one.spent, err = parseSpent(t.scratch[:n])
	return err
}

func (t *threads) close() {
	for _, thread := range t.open {
		thread.file.Close()
	}
}

// parseSpent takes the first two numbers of "<ran> <waited> <times>", in nanoseconds.
func parseSpent(text []byte) (spent, error) {
	ran, text, _ := bytes.Cut(text, []byte{' '})
	waited, _, ok := bytes.Cut(text, []byte{' '})
	a, err := strconv.ParseInt(string(ran), 10, 64)
	b, err2 := strconv.ParseInt(string(waited), 10, 64)
	if err := errors.Join(err, err2); err != nil || !ok {
		return spent{}, fmt.Errorf("scheduler statistics of %q and %q are no times of running and waiting", ran, waited)
	}
	return spent{ran: time.Duration(a), waited: time.Duration(b)}, nil
}
