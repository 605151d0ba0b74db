// Package compile turns a BenchmarkRun into a Plan, or says why the run can't be made.
//
// It is pure: the same run, files and catalog give the same Plan, byte for byte. The API server's rules
// have checked before what one object can say about itself. This package checks what needs the catalog,
// or the meaning of YCSB's properties. It refuses a run before anything is deployed.
package compile

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
	"github.com/kvbench/kvbench/internal/version"
)

// Catalog is what can be deployed.
type Catalog struct {
	Find  func(name string) (*stores.Entry, bool)
	Names func() []string
}

// Compile resolves everything that the run leaves open, with the stores of the registry.
// files are those of FilesOf, as far as they are there. Its error is a *Refusal.
func Compile(run *v1alpha1.BenchmarkRun, files Files) (*plan.Plan, error) {
	return With(run, files, Catalog{Find: catalog.Find, Names: catalog.Deployable})
}

// With compiles with another catalog.
func With(run *v1alpha1.BenchmarkRun, files Files, catalog Catalog) (*plan.Plan, error) {
	p := &plan.Plan{
		Format:  plan.Format,
		Kvbench: version.String(),
		Run: plan.Run{
			Namespace: run.Namespace,
			Name:      run.Name,
			UID:       string(run.UID),
			ID:        RunID(run.Name, string(run.UID)),
		},
		Seed: seed(run),
	}
	entry, err := findStore(&run.Spec.Store, catalog)
	if err != nil {
		return nil, err
	}
	mode, err := findMode(&run.Spec.Store, entry)
	if err != nil {
		return nil, err
	}
	if p.Store, err = compileStore(&run.Spec.Store, entry, mode, p.Run); err != nil {
		return nil, err
	}
	if mode, err = withSettings(mode, &p.Store); err != nil {
		return nil, err
	}
	room, err := roomOf(&run.Spec.Store, mode, &p.Store)
	if err != nil {
		return nil, err
	}
	if p.Workloads, err = compileWorkloads(&run.Spec, entry, mode, room, files); err != nil {
		return nil, err
	}
	if err := shareConnections(p.Workloads, &run.Spec, entry); err != nil {
		return nil, err
	}
	if p.Faults, err = compileFaults(&run.Spec, p.Workloads, entry, mode); err != nil {
		return nil, err
	}
	if p.Objectives, err = compileObjectives(&run.Spec, files); err != nil {
		return nil, err
	}
	p.Placement = compilePlacement(run.Spec.Placement)
	p.Store.Rejoins = needsRejoin(&run.Spec, entry)
	p.Files = files.plan(&run.Spec)
	return p, nil
}

// seed is the spec's, or follows from the UID, so that two runs differ and one can be
// repeated from its report.
func seed(run *v1alpha1.BenchmarkRun) uint64 {
	if run.Spec.Seed != nil {
		return uint64(*run.Spec.Seed)
	}
	sum := sha256.Sum256([]byte(run.UID))
	// One bit less, so that the value fits spec.seed.
	return binary.BigEndian.Uint64(sum[:]) >> 1
}
