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

// failedSyncSuffix ends the name of an empty file, which says that a sync of the file beside it failed.
const failedSyncSuffix = ".doubted"

// failedSyncs are the files of a run whose last sync failed, of their content or of their name. After such a failure
// the kernel takes the lost bytes for written, and the next sync would succeed. So the file can't be trusted until it is
// written anew. The kernel lives longer than this process: an empty file beside it, where one can be made, tells the
// next process.
type failedSyncs struct {
	mu    sync.Mutex
	dir   string
	names map[string]bool
}

// recall says whether the entry of the folder is a mark that a process before has left, and takes it in.
func (f *failedSyncs) recall(entry string) bool {
	name, ok := strings.CutSuffix(entry, failedSyncSuffix)
	if ok {
		f.names[name] = true
	}
	return ok
}

func (f *failedSyncs) has(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.names[name]
}

// note notes whether writing the file succeeded, and returns the error. That a file exists already says nothing of it.
func (f *failedSyncs) note(name string, err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	marker := filepath.Join(f.dir, name+failedSyncSuffix)
	switch {
	case errors.Is(err, fs.ErrExist):
	case err != nil:
		f.names[name] = true
		_ = os.WriteFile(marker, nil, 0o640) // this process knows in any case
	case f.names[name]:
		delete(f.names, name)
		_ = os.Remove(marker) // else it is written anew once more
	}
	return err
}

// syncFile makes a file durable, unless a sync of it has failed before.
func (r *run) syncFile(name string) error {
	if r.failedSyncs.has(name) {
		return fmt.Errorf("%s: a sync of it failed before, so its bytes may not be on the disk", name)
	}
	return r.failedSyncs.note(name, r.disk.syncPath(r.path(name)))
}

// settleFile makes a file durable whose writer won't come again. If a sync of it has failed, what can be read of it is
// written anew, and the report is made of that. This takes as long as the disk does, so mu is not held: no file grows
// while the report is made.
func (r *run) settleFile(name string) error {
	err := r.syncFile(name)
	if err == nil {
		return nil
	}
	if again := r.failedSyncs.note(name, r.disk.rewrite(r.dir, name)); again != nil {
		return errors.Join(err, again)
	}
	return nil
}

// confirm makes a small file durable that is there already, and with which a request is answered again.
func (r *run) confirm(name string) error {
	if r.failedSyncs.has(name) {
		return r.failedSyncs.note(name, r.disk.rewrite(r.dir, name))
	}
	return r.failedSyncs.note(name, r.disk.syncDir(r.dir))
}
