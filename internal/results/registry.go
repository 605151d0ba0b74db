package results

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/remotewrite"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// Folders below the data folder. A run's folder appears in runs when it is whole, by a
// rename from incoming, and leaves it by a rename to deleted.
const (
	runsFolder     = "runs"
	incomingFolder = "incoming"
	deletedFolder  = "deleted"
	suitesFolder   = "suites" // of manifests
)

// registry holds the runs.
type registry struct {
	root   string
	limits Limits
	now    func() time.Time
	free   func() (uint64, error)
	size   func() (uint64, error)
	// keepBytes is what retention leaves of all runs together; 0 is no bound.
	keepBytes int64
	disk      *disk
	log       *slog.Logger
	lock      *os.File
	ages      *ages
	// wanted are the runs, by UID, that a suite under way needs, in the order of how much.
	wanted func() []string

	admitting sync.Mutex // one registration at a time; taken before mu

	mu   sync.Mutex
	runs map[string]*run // by UID
}

// openRegistry takes the data folder and reads what is there.
func openRegistry(config *Config) (*registry, error) {
	root := config.Data
	if err := os.MkdirAll(root, 0o750); err != nil {
		return nil, err
	}
	lock, err := lockFolder(root)
	if err != nil {
		return nil, err
	}
	g := &registry{root: root, limits: config.Limits, now: config.Now, free: config.Free, size: config.Size,
		keepBytes: config.KeepBytes, disk: config.disk, log: config.Log, lock: lock, runs: map[string]*run{}}
	if g.ages, err = openAges(filepath.Join(root, agesFile), g.now); err == nil {
		err = g.load()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the data folder %s: %w", root, err), lock.Close())
	}
	return g, nil
}

func (g *registry) load() error {
	for _, leftover := range []string{incomingFolder, deletedFolder} {
		if err := os.RemoveAll(filepath.Join(g.root, leftover)); err != nil {
			return err
		}
	}
	for _, folder := range []string{runsFolder, incomingFolder, deletedFolder} {
		if err := os.MkdirAll(filepath.Join(g.root, folder), 0o750); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(filepath.Join(g.root, runsFolder))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		uid := entry.Name()
		if !entry.IsDir() || !uidPattern.MatchString(uid) {
			continue
		}
		r, err := g.loadRun(g.folder(runsFolder, uid), uid)
		if err != nil {
			// One damaged bundle must not keep the others from being served.
			g.log.Error("a run's folder can't be read; it is left as it is and not served", "run", uid, "error", err)
			continue
		}
		g.runs[uid] = r
	}
	return g.disk.syncDir(filepath.Join(g.root, runsFolder))
}

// folder is the path of a run's folder; the UID has been checked.
func (g *registry) folder(of, uid string) string { return filepath.Join(g.root, of, uid) }

func (g *registry) find(uid string) (*run, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r, ok := g.runs[uid]
	return r, ok
}

func (g *registry) all() []*run {
	g.mu.Lock()
	defer g.mu.Unlock()
	runs := make([]*run, 0, len(g.runs))
	for _, r := range g.runs {
		runs = append(runs, r)
	}
	return runs
}

// reported are the runs that have their reports, the oldest first.
func (g *registry) reported() (listed []remotewrite.Run) {
	touched := map[string]time.Time{}
	for _, r := range g.all() {
		if u := r.usage(); u.reported {
			touched[r.uid] = u.touched
			listed = append(listed, remotewrite.Run{UID: r.uid, Folder: r.dir, Mark: r.markSent})
		}
	}
	slices.SortFunc(listed, func(a, b remotewrite.Run) int {
		return cmp.Or(touched[a.UID].Compare(touched[b.UID]), strings.Compare(a.UID, b.UID))
	})
	return listed
}

// register makes a run of its plan, now that it has its turn: others may go for it. The same plan
// again lets it keep its place.
func (g *registry) register(uid string, document []byte) (created bool, err error) {
	g.admitting.Lock()
	defer g.admitting.Unlock()
	if held, ok := g.find(uid); ok {
		return false, held.renew(document)
	}
	f, err := readFacts(uid, document)
	if err != nil {
		return false, err
	}
	folder := g.folder(runsFolder, uid)
	// It is there when an attempt failed at its last step.
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		if err := g.place(f, document, folder); err != nil {
			return false, err
		}
	} else if err != nil {
		return false, err
	}
	if err := g.disk.syncDir(filepath.Dir(folder)); err != nil {
		return false, err
	}
	r, err := g.loadRun(folder, uid)
	if err != nil {
		return false, err
	}
	if err := r.samePlan(document); err != nil {
		return false, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.runs[uid] = r
	return true, nil
}

// place makes the run's folder, whole or not at all.
func (g *registry) place(f facts, document []byte, folder string) error {
	if err := g.makeRoom(f.need); err != nil {
		return err
	}
	incoming := g.folder(incomingFolder, f.uid)
	if err := errors.Join(os.RemoveAll(incoming), os.Mkdir(incoming, 0o750)); err != nil {
		return err
	}
	defer os.RemoveAll(incoming)
	if err := g.disk.createOnce(incoming, bundle.PlanFile, document); err != nil {
		return err
	}
	if err := stamp(incoming, g.ages.now()); err != nil {
		return err
	}
	return os.Rename(incoming, folder)
}

// renew notes that the run is still wanted, also for a process that comes after this one.
func (r *run) renew(document []byte) error {
	if err := r.samePlan(document); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.touched = r.ages.now()
	return stamp(r.dir, r.touched)
}

// withdraw forgets a run that nobody has begun.
func (g *registry) withdraw(uid string) error {
	waiting := func(u usage) bool { return u.waiting }
	if r, ok := g.find(uid); !ok || !waiting(r.usage()) {
		return nil
	}
	gone, err := g.forget(uid, waiting)
	if gone {
		g.log.Info("forgot a run that was withdrawn before anybody had begun it", "run", uid)
	}
	return err
}

func (r *run) samePlan(document []byte) error {
	held, err := os.ReadFile(r.path(bundle.PlanFile))
	if errors.Is(err, fs.ErrNotExist) {
		return refuse(wire.ReasonNotFound, "the run %s is no longer kept", r.uid)
	}
	if err == nil && string(held) != string(document) {
		return refuse(wire.ReasonDiffers, "the run %s is registered with another plan, and a plan never changes", r.uid)
	}
	return err
}
