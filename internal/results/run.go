package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/remotewrite"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// run is one run's folder. The disk is the truth; the fields below are what would be read
// from it again and again. mu is held over every change of the folder.
type run struct {
	facts
	dir    string
	limits *Limits
	disk   *disk
	now    func() time.Time
	ages   *ages

	uploads chan struct{} // slots of appends under way

	glance glance

	failedSyncs failedSyncs

	mu       sync.Mutex
	claims   []bundle.Claim
	starts   map[string]bundle.Start
	started  chan struct{} // closed and replaced when starts or gone change
	files    int
	bytes    int64     // of the whole folder
	touched  time.Time // by ages
	reported bool
	judged   *wire.Judgement // of the report, once somebody asked
	merge    *merge          // under way, or ended and nobody knows; nil without one
	closing  bool            // a merge reads the files, so they must not grow
	gone     bool            // removed by retention
}

// loadRun reads a folder that a process, maybe killed at any line, left.
func (g *registry) loadRun(dir, uid string) (*run, error) {
	document, err := os.ReadFile(filepath.Join(dir, bundle.PlanFile))
	if err != nil {
		return nil, err
	}
	f, err := readFacts(uid, document)
	if err != nil {
		return nil, err
	}
	r := &run{facts: f, dir: dir, limits: &g.limits, disk: g.disk, now: g.now, ages: g.ages,
		starts: map[string]bundle.Start{}, failedSyncs: failedSyncs{dir: dir, names: map[string]bool{}}, started: make(chan struct{}),
		uploads: make(chan struct{}, g.limits.UploadsPerRun)}
	if err := r.recount(); err != nil {
		return nil, err
	}
	for workload := range f.workloads {
		start, err := readJSON[bundle.Start](filepath.Join(dir, bundle.StartFile(workload)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		r.starts[workload] = start
	}
	if r.claims, err = loadClaims(filepath.Join(dir, bundle.ClaimsFile)); err != nil {
		return nil, err
	}
	if _, r.reported, err = fileLength(filepath.Join(dir, bundle.ReportFile)); err != nil {
		return nil, err
	}
	return r, r.settle()
}

// settle makes durable what a killed predecessor had written and not yet answered:
// whatever is found here will be answered with. Of a file whose sync failed, that says so.
func (r *run) settle() error {
	if r.reported {
		return r.disk.syncDir(r.dir)
	}
	var answered []string
	if len(r.claims) > 0 {
		answered = append(answered, bundle.ClaimsFile)
	}
	for workload := range r.starts {
		answered = append(answered, bundle.StartFile(workload))
	}
	for _, name := range answered {
		if err := r.settleFile(name); err != nil {
			return err
		}
	}
	return r.disk.syncDir(r.dir)
}

// recount takes stock of the folder and removes what was never finished.
func (r *run) recount() error {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return err
	}
	r.files, r.bytes = 0, 0
	for _, entry := range entries {
		if isTemp(entry.Name()) {
			if err := os.Remove(filepath.Join(r.dir, entry.Name())); err != nil {
				return err
			}
			continue
		}
		if r.failedSyncs.recall(entry.Name()) {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		r.bytes += info.Size()
		if _, _, ok := bundle.ParseFile(entry.Name()); ok {
			r.files++
		}
		if entry.Name() == bundle.PlanFile {
			r.touched = info.ModTime()
		}
	}
	if now := r.ages.now(); r.touched.After(now) {
		r.touched = now
	}
	return nil
}

// open refuses changes of a run that takes none. The caller holds mu.
func (r *run) open() error {
	switch {
	case r.gone:
		return refuse(wire.ReasonNotFound, "the run %s is no longer kept", r.uid)
	case r.reported:
		return refuse(wire.ReasonReported, "the run %s has its report, so its bundle is closed", r.uid)
	case r.closing:
		return refuse(wire.ReasonMerging, "the report of run %s is being made", r.uid)
	}
	return nil
}

// path is the path of a file whose name was made or parsed by package bundle.
func (r *run) path(name string) string { return filepath.Join(r.dir, name) }

// state describes the folder.
func (r *run) state() (wire.State, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return wire.State{}, err
	}
	state := wire.State{UID: r.uid, Namespace: r.namespace, ID: r.id, Files: []wire.FileState{},
		Claims: append([]bundle.Claim{}, r.claims...), Starts: map[string]bundle.Start{}, Reported: r.reported}
	for workload, start := range r.starts {
		state.Starts[workload] = start
	}
	ended := map[string]bool{}
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), bundle.EndFile("")); ok {
			ended[name] = true
		}
	}
	for _, entry := range entries {
		if _, _, ok := bundle.ParseFile(entry.Name()); !ok {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			return wire.State{}, err
		}
		state.Files = append(state.Files, wire.FileState{
			Name: entry.Name(), Length: info.Size(), Ended: ended[entry.Name()]})
	}
	return state, nil
}

// markSent keeps how much of the run's figures was sent. It doesn't make the run younger.
func (r *run) markSent(content []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return fs.ErrNotExist
	}
	before, _, err := fileLength(r.path(remotewrite.MarkFile))
	if err != nil {
		return err
	}
	if err := r.disk.replace(r.dir, remotewrite.MarkFile, bytes.NewReader(content)); err != nil {
		return err
	}
	r.bytes += int64(len(content)) - before
	return nil
}

func readJSON[T any](path string) (value T, err error) {
	document, err := os.ReadFile(path)
	if err != nil {
		return value, err
	}
	if err := json.Unmarshal(document, &value); err != nil {
		return value, fmt.Errorf("%s: %w", path, err)
	}
	return value, nil
}

// loadClaims reads the claims and cuts off a torn last line: it was never answered.
func loadClaims(path string) ([]bundle.Claim, error) {
	document, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	whole := document[:bytes.LastIndexByte(document, '\n')+1]
	if len(whole) < len(document) {
		if err := os.Truncate(path, int64(len(whole))); err != nil {
			return nil, err
		}
	}
	var claims []bundle.Claim
	for line := range bytes.Lines(whole) {
		var claim bundle.Claim
		if err := json.Unmarshal(line, &claim); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		claims = append(claims, claim)
	}
	return claims, nil
}
