// Package read reads a bundle into one value, Input. It reads through fs.FS alone, streams what is long, and takes every
// file for hostile. What is missing or broken becomes a reason in Input.Problems; only a bundle without a readable plan
// is an error.
package read

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/topology"
)

// Bundle reads a bundle. It fails only where there is no plan that a run can have.
func Bundle(fsys fs.FS) (*Input, error) {
	data, err := readSmall(fsys, bundle.PlanFile)
	if err != nil {
		return nil, fmt.Errorf("the bundle has no readable plan: %w", err)
	}
	digest := sha256.Sum256(data)
	in := &Input{
		Plan:       &plan.Plan{},
		PlanSHA256: hex.EncodeToString(digest[:]),
		Workloads:  map[string]*Measured{},
		Resets:     map[string]*Reset{},
		Loadings:   map[string]*Loaded{},
	}
	if err := json.Unmarshal(data, in.Plan); err != nil {
		return nil, fmt.Errorf("reading %s: %w", bundle.PlanFile, err)
	}
	if in.Plan.Format != plan.Format {
		return nil, fmt.Errorf("reading %s: format %d, and this program knows %d", bundle.PlanFile, in.Plan.Format, plan.Format)
	}
	if err := checkPlan(in.Plan); err != nil {
		return nil, fmt.Errorf("reading %s: no run has this plan: %w", bundle.PlanFile, err)
	}
	r := &reader{fsys: fsys, in: in}
	if err := r.listFiles(); err != nil {
		return nil, err
	}
	r.readFaults()
	r.checkActions()
	r.readTopology()
	r.readKubelets()
	r.readEnvironment()
	for i := range in.Plan.Workloads {
		w := &in.Plan.Workloads[i]
		if w.Reset {
			r.readReset(w)
		}
		if w.LoadFirst {
			r.readLoading(w)
		}
		r.readWorkload(w)
	}
	return in, nil
}

// reader collects a bundle's files into an Input.
type reader struct {
	fsys    fs.FS
	in      *Input
	claims  []bundle.Claim
	writers []bundle.Writer // that have a file, in the order of their names
}

func (r *reader) problem(reason, workload, format string, args ...any) {
	message := report.Truncate(fmt.Sprintf(format, args...), report.MaxReasonText)
	r.in.Problems = append(r.in.Problems, report.Reason{Reason: reason, Workload: workload, Message: message})
}

// listFiles finds out who wrote. The order of a directory is not to matter.
func (r *reader) listFiles() error {
	entries, err := fs.ReadDir(r.fsys, ".")
	if err != nil {
		return fmt.Errorf("listing the bundle: %w", err)
	}
	for _, entry := range entries {
		if w, _, ok := bundle.ParseFile(entry.Name()); ok && !slices.Contains(r.writers, w) {
			r.writers = append(r.writers, w)
		}
	}
	slices.SortFunc(r.writers, func(a, b bundle.Writer) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Workload, b.Workload),
			cmp.Compare(a.Index, b.Index), cmp.Compare(a.PodUID, b.PodUID))
	})
	err = readLinesOf(r.fsys, bundle.ClaimsFile, maxClaims, true, func(c *bundle.Claim) error {
		r.claims = append(r.claims, *c)
		return nil
	})
	if err != nil {
		r.problem(report.FileCorrupt, "", "%v", err)
	}
	return nil
}

func (r *reader) readFaults() {
	err := readLinesOf(r.fsys, bundle.FaultsFile, maxFaults, false, func(f *bundle.FaultLine) error {
		if err := checkFault(f); err != nil {
			return err
		}
		// A clock may have moved by more. The fault is one that was injected all the same.
		f.ClockBoundNanos = min(f.ClockBoundNanos, bundle.MaxClockBoundNanos)
		r.in.Faults = append(r.in.Faults, *f)
		return nil
	})
	if err != nil {
		r.problem(report.FileCorrupt, "", "%v", err)
	}
}

// readTopology reads what the observers saw, which followed one another.
func (r *reader) readTopology() {
	var seen topology.Collector
	for _, w := range r.writers {
		if w.Role != bundle.RoleObserver {
			continue
		}
		seen.NextObserver()
		if err := readLinesOf(r.fsys, w.File(bundle.Jsonl), topology.MaxSamples, true, seen.Add); err != nil {
			r.problem(report.FileCorrupt, "", "%v", err)
		}
	}
	seen.Usages.Sort()
	r.in.Topology, r.in.ObserverClock, r.in.Usages.Members = seen.Sorted(), seen.Clocks, seen.Usages
	// Of one observer after the other.
	r.in.Repairs = seen.Repairs
}

// start is when a workload started; nil if it never did.
func (r *reader) start(workload string) *instant.Unix {
	start, err := readJSON[bundle.Start](r.fsys, bundle.StartFile(workload))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.problem(report.NotMeasured, workload, "workload %q never started: the bundle has no %s", workload, bundle.StartFile(workload))
		return nil
	case err != nil:
		r.problem(report.FileCorrupt, workload, "%v", err)
		return nil
	}
	at := instant.Unix(start.StartUnixNanos)
	return &at
}

// worker is the one that measured: the first to claim the index.
func (r *reader) worker(workload string, index int) (bundle.Writer, bool) {
	for _, c := range r.claims {
		if c.Role == bundle.RoleWorker && c.Workload == workload && c.Index == index {
			return c.Writer, true
		}
	}
	return bundle.Writer{}, false
}
