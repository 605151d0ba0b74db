package ycsb

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/workload"
)

// Screen is where a command prints.
type Screen struct{ Out, Err io.Writer }

func (s *Screen) say(format string, args ...any) { fmt.Fprintf(s.Err, format+"\n", args...) }

// Do carries the command out: it loads or measures, and prints what there is. When ctx
// ends, what is under way ends in order, and its cause is the error.
func (s *Settings) Do(ctx context.Context, screen *Screen) (err error) {
	dir, done, err := s.openBundle()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	r := &run{Settings: s, screen: screen, uid: newUID(), dir: dir}
	r.plan = s.Plan(r.uid)
	text, err := json.MarshalIndent(r.plan, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, bundle.PlanFile), append(text, '\n'), 0o644); err != nil {
		return err
	}
	return r.do(ctx)
}

// run is one load or one measurement.
type run struct {
	*Settings
	screen *Screen
	plan   *plan.Plan
	uid    string
	dir    string

	armed        bool
	began, ended time.Time
}

func (r *run) writer() bundle.Writer {
	role := bundle.RoleWorker
	if r.Load {
		role = bundle.RoleLoad
	}
	return bundle.Writer{Role: role, Workload: r.plan.Workloads[0].Name, PodUID: r.uid}
}

// work runs the job. A signal before it is armed ends it at once, and later in order.
func (r *run) work(ctx context.Context) error {
	clock := loadgen.NewClock(time.Now)
	whole, give := context.WithCancelCause(context.WithoutCancel(ctx))
	defer give(nil)
	connected := context.AfterFunc(ctx, func() { give(context.Cause(ctx)) })
	job := &loadgen.Job{
		Plan: r.plan, Workload: &r.plan.Workloads[0], PodUID: r.uid, DataDir: r.dir, Store: r.entry,
		Results: &folder{path: r.dir, clock: clock}, Clock: clock, Metrics: loadgen.NewMetrics(),
		Say:    r.screen.say,
		Source: workload.FromCommandLine(), ConnectWithin: r.dialing, Stop: ctx.Done(),
		Armed: func() {
			if connected() {
				r.armed, r.began = true, clock.Now()
			}
		},
	}
	defer func() { r.ended = clock.Now() }()
	if r.Load {
		return job.Load(whole)
	}
	return job.Measure(whole)
}

// do returns the gravest of what went wrong.
func (r *run) do(ctx context.Context) error {
	failed := r.work(ctx)
	if !r.armed {
		return cmp.Or(context.Cause(ctx), failed)
	}
	figures, err := r.figures()
	if err == nil {
		_, err = r.screen.Out.Write(appendText(nil, figures.entries(r.client)))
	}
	if err := errors.Join(failed, err); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	judged, err := report.FromBundle(os.DirFS(r.dir))
	if err != nil {
		return err
	}
	return figures.verdict(judged, r.client.InsertCount, r.Load)
}

// figures are read from the files.
func (r *run) figures() (*figures, error) {
	w := &r.plan.Workloads[0]
	m, err := readMeasured(os.DirFS(r.dir), r.writer(), 0)
	if err != nil {
		return nil, fmt.Errorf("read what was measured: %w", err)
	}
	f := &figures{measured: m, open: w.Load.Rate > 0, runtimeMillis: r.ended.Sub(r.began).Milliseconds()}
	if m.finish != nil {
		f.runtimeMillis = (m.finish.EndedUnixNanos-m.finish.StartedUnixNanos)/1e6 - w.Load.WarmupMillis
		f.operations = m.finish.Operations
	}
	return f, nil
}
