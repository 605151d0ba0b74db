package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/trace"
	"github.com/kvbench/kvbench/internal/workload"
)

// source has the file of field lengths, if the workload reads one.
func (f *workloadFlags) source(p *plan.Plan, w *plan.Workload) (workload.Source, error) {
	name, reads := w.Properties[workload.LengthHistogramProperty]
	if !reads {
		return workload.FromRun(nil), nil
	}
	content, err := f.file(p, name)
	if err != nil {
		return workload.Source{}, err
	}
	return workload.FromRun(map[string][]byte{name: content}), nil
}

// trace is this worker's share of what its workload replays; nil without a trace.
func (f *workloadFlags) trace(job *loadgen.Job) (*trace.Trace, error) {
	load := &job.Workload.Load
	if load.Trace == nil {
		return nil, nil
	}
	content, err := f.file(job.Plan, load.Trace.File)
	if err != nil {
		return nil, err
	}
	text, err := trace.Unpack(content)
	if err != nil {
		return nil, fmt.Errorf("read the trace %s: %w", load.Trace.File, err)
	}
	return trace.Read(load.Trace.File, text, trace.Share{
		Worker: job.Index, Workers: load.Workers, Stretch: load.Trace.Stretch,
		Warmup: time.Duration(load.WarmupMillis) * time.Millisecond,
	})
}

// file reads a file of the plan, which must be what the run was admitted with.
func (f *workloadFlags) file(p *plan.Plan, name string) ([]byte, error) {
	planned, ok := p.FindFile(name)
	if !ok {
		return nil, fmt.Errorf("the plan has no file %q", name)
	}
	content, err := os.ReadFile(filepath.Join(f.files, planned.Name))
	if err != nil {
		return nil, fmt.Errorf("read key %s of ConfigMap %s, as it was kept for the run: %w", planned.Key, planned.ConfigMap, err)
	}
	sum := sha256.Sum256(content)
	if found := hex.EncodeToString(sum[:]); found != planned.SHA256 {
		return nil, fmt.Errorf("key %s of ConfigMap %s isn't kept as the run was admitted with it: its SHA-256 is %s, and the plan's %s",
			planned.Key, planned.ConfigMap, found, planned.SHA256)
	}
	return content, nil
}
