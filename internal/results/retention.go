package results

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

// quietAfter is how long a run without a report must have been silent before its bundle
// may make room for others: an observer writes twice a second while a run is under way.
const quietAfter = 24 * time.Hour

// usage is what retention decides by.
type usage struct {
	uid      string
	bytes    int64
	touched  time.Time
	reported bool
	waiting  bool // registered, and nobody has written anything yet
	merging  bool // its report is being made
	wanted   bool // a suite under way needs it
}

// keepWaiting is for how long a run keeps its place that nobody begins. It is registered when its
// turn comes, and begun in a deploy deadline, which is a day at most.
const keepWaiting = 25 * time.Hour

// abandoned says that nobody has begun the run, or will: it was deleted, or failed before.
func (u usage) abandoned(now time.Time) bool {
	return u.waiting && now.Sub(u.touched) > keepWaiting
}

// disposable says that a run may make room for others: it has its report, is abandoned, or has been
// silent for so long that it can't be under way. One whose files are being read may not.
func (u usage) disposable(now time.Time) bool {
	return !u.merging && !u.wanted && (u.reported || u.abandoned(now) || !u.waiting && now.Sub(u.touched) > quietAfter)
}

// inTurn are the runs in the order in which they make room: those that nobody has begun, since
// nothing is lost with them, and then those last changed the longest ago.
func inTurn(runs []usage, now time.Time) []usage {
	runs = slices.Clone(runs)
	slices.SortFunc(runs, func(a, b usage) int {
		if of := a.abandoned(now); of != b.abandoned(now) {
			if of {
				return -1
			}
			return 1
		}
		return a.touched.Compare(b.touched)
	})
	return runs
}

// expired chooses the runs to forget: those last changed longer than age ago, and in their turn
// others until the rest has at most limit bytes. A run that may still be under way is
// never chosen for its size, and one that a suite under way needs isn't at all. Zero means no bound.
func expired(runs []usage, now time.Time, age time.Duration, limit int64) []string {
	runs = inTurn(runs, now)
	var total int64
	for _, r := range runs {
		total += r.bytes
	}
	var chosen []string
	for _, r := range runs {
		silent := now.Sub(r.touched)
		tooOld := age > 0 && silent > age && !r.wanted
		tooMuch := limit > 0 && total > limit && r.disposable(now)
		if tooOld || tooMuch {
			chosen = append(chosen, r.uid)
			total -= r.bytes
		}
	}
	return chosen
}

// makeWay chooses the runs that make room for another one, which lacks so many bytes: in their turn,
// so that fewer than most are left. enough says that this does it.
func makeWay(runs []usage, now time.Time, most int, lacking int64) (chosen []string, enough bool) {
	left := len(runs)
	for _, r := range inTurn(runs, now) {
		if left < most && lacking <= 0 {
			break
		}
		if r.disposable(now) {
			chosen = append(chosen, r.uid)
			left--
			lacking -= r.bytes
		}
	}
	return chosen, left < most && lacking <= 0
}

// stamp keeps, for the next process, when a run was last changed: the time of its plan is that, by the
// clock of the ages. The times of its other files are of the machine's clock, and mean nothing.
func stamp(dir string, touched time.Time) error {
	return os.Chtimes(filepath.Join(dir, bundle.PlanFile), time.Time{}, touched)
}

// noteAges keeps how old all runs are.
func (g *registry) noteAges() error {
	err := g.ages.note()
	for _, r := range g.all() {
		r.mu.Lock()
		if !r.gone {
			err = errors.Join(err, stamp(r.dir, r.touched))
		}
		r.mu.Unlock()
	}
	return err
}

// sweep forgets the expired runs and returns how many.
func (g *registry) sweep(age time.Duration, limit int64) (removed int, err error) {
	judged := g.usages()
	for _, uid := range expired(slices.Collect(maps.Values(judged)), g.ages.now(), age, limit) {
		gone, err := g.forget(uid, judged[uid].still)
		if err != nil {
			return removed, err
		}
		if gone {
			g.log.Info("forgot a run to keep to the limits of age and size", "run", uid)
			removed++
		}
	}
	return removed, nil
}

// usages are those of all runs, by UID. Suites under way may hold on to half of what is kept: the other half is for runs that
// others want to make.
func (g *registry) usages() map[string]usage {
	usages := map[string]usage{}
	for _, r := range g.all() {
		usages[r.uid] = r.usage()
	}
	runs, bytes := g.limits.Runs/2, g.keepBytes/2
	for _, uid := range g.wanted() {
		u, is := usages[uid]
		if !is || u.wanted {
			continue
		}
		if runs, bytes = runs-1, bytes-u.bytes; runs < 0 || g.keepBytes > 0 && bytes < 0 {
			break
		}
		u.wanted = true
		usages[uid] = u
	}
	return usages
}

// still says that nothing has come to the run since.
func (u usage) still(now usage) bool { return now.touched.Equal(u.touched) && now.waiting == u.waiting }

func (r *run) usage() usage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used()
}

// used is its usage. The caller holds mu.
func (r *run) used() usage {
	return usage{uid: r.uid, bytes: r.bytes, touched: r.touched, reported: r.reported,
		waiting: len(r.claims) == 0 && len(r.starts) == 0, merging: r.closing}
}

// forget removes a run, if it may go as it is then. The rename makes it one step: a kill leaves a
// whole run or none.
func (g *registry) forget(uid string, may func(usage) bool) (gone bool, err error) {
	r, ok := g.find(uid)
	if !ok {
		return false, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone || r.closing || !may(r.used()) {
		return false, nil
	}
	deleted := g.folder(deletedFolder, uid)
	if err := os.Rename(r.dir, deleted); err != nil {
		return false, err
	}
	r.gone = true
	r.wake()
	g.mu.Lock()
	delete(g.runs, uid)
	g.mu.Unlock()
	if err := g.disk.syncDir(filepath.Dir(r.dir)); err != nil {
		return true, err
	}
	return true, os.RemoveAll(deleted)
}
