package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// doubtSuffix is of an empty file beside one that is doubted.
const doubtSuffix = ".doubted"

// doubts are the files of a run with a sync that failed, of their content or of their name.
// After it the kernel holds what was lost for written, and the next sync would say yes: such a
// file is doubted until it is written anew. The kernel outlives this process; an empty file,
// where one can be made, tells the next one.
type doubts struct {
	mu    sync.Mutex
	dir   string
	names map[string]bool
}

// recall takes in what a process before has left, and says whether the entry is that.
func (d *doubts) recall(entry string) bool {
	name, ok := strings.CutSuffix(entry, doubtSuffix)
	if ok {
		d.names[name] = true
	}
	return ok
}

func (d *doubts) about(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.names[name]
}

// judge raises a doubt where writing a file failed, and lifts it where that succeeded. It
// returns the error. That a file exists already says nothing.
func (d *doubts) judge(name string, err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	marker := filepath.Join(d.dir, name+doubtSuffix)
	switch {
	case errors.Is(err, fs.ErrExist):
	case err != nil:
		d.names[name] = true
		_ = os.WriteFile(marker, nil, 0o640) // this process knows in any case
	case d.names[name]:
		delete(d.names, name)
		_ = os.Remove(marker) // else it is written anew once more
	}
	return err
}

// syncFile makes a file durable, unless it is doubted.
func (r *run) syncFile(name string) error {
	if r.doubts.about(name) {
		return fmt.Errorf("%s: a sync of it failed before, so its bytes may not be on the disk", name)
	}
	return r.doubts.judge(name, r.disk.syncPath(r.path(name)))
}

// settleFile makes a file durable whose writer won't come again: what can be read of bytes
// that are doubted is written anew, and the report is made of that. It takes as long as the
// disk does, so mu is not held: nothing grows while the report is made.
func (r *run) settleFile(name string) error {
	err := r.syncFile(name)
	if err == nil {
		return nil
	}
	if again := r.doubts.judge(name, r.disk.rewrite(r.dir, name)); again != nil {
		return errors.Join(err, again)
	}
	return nil
}

// confirm makes sure that a small file, which is there already, is durable: it is answered
// with again.
func (r *run) confirm(name string) error {
	if r.doubts.about(name) {
		return r.doubts.judge(name, r.disk.rewrite(r.dir, name))
	}
	return r.doubts.judge(name, r.disk.syncDir(r.dir))
}
