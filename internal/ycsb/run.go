package ycsb

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/workload"
	"github.com/kvbench/kvbench/internal/ycsb/measurements"
)

// Screen is where a command prints.
type Screen struct{ Out, Err io.Writer }

func (s *Screen) say(format string, args ...any) { fmt.Fprintf(s.Err, format+"\n", args...) }

// Do carries the command out: it loads or measures, and prints what there is. When ctx
// ends, what is under way ends in order, and its cause is the error.
func (s *Settings) Do(ctx context.Context, screen *Screen) (err error) {
	s.sayUnused(screen)
	if s.client.HdrFiles {
		if err := checkHdrPath(s.client.HdrPath); err != nil {
			return err
		}
	}
	outputs, err := openExports(s.exports, screen.Out)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, outputs.close()) }()
	raw, done, err := s.openRaw(screen.Out)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, done()) }()
	samples := measurements.NewSamples(s.client, s.intends(), s.Warmup)
	defer func() { err = cmp.Or(err, samples.Close()) }()
	return s.measure(ctx, screen, samples, func(r *run, f *figures) error {
		var err error
		if measurements.WantsRaw(s.client) {
			err = f.PrintRaw(s.client, raw)
		}
		err = cmp.Or(err, outputs.write(r, f))
		if err == nil && s.client.HdrFiles {
			err = r.hdrFiles().Write(r.recording(), f.Figures, s.client)
		}
		return err
	})
}

// measure does the work and gives take what there is. Single operations go to samples, if it
// isn't nil. The error is all that went wrong, the gravest first: it could not be done, a
// signal ended it, the verdict.
func (s *Settings) measure(ctx context.Context, screen *Screen, samples *measurements.Samples, take func(*run, *figures) error) (err error) {
	r, done, err := s.prepare(screen)
	if err != nil {
		return err
	}
	r.samples = samples
	defer func() { err = cmp.Or(err, done(r.armed)) }()
	failed := r.work(ctx)
	if !r.armed {
		return cmp.Or(context.Cause(ctx), failed)
	}
	r.broken = failed != nil
	figures, err := r.figures()
	if err == nil {
		err = take(r, figures)
	}
	if figures != nil && figures.report != nil && !s.Load {
		for _, reason := range figures.report.NotJudged {
			screen.say("%snot judged, %s: %s", s.label, reason.Reason, reason.Message)
		}
		for _, remark := range render.Remarks(&figures.report.Workloads[0]) {
			screen.say("%s%s", s.label, remark)
		}
	}
	var verdict error
	if figures != nil && figures.report != nil {
		verdict = figures.verdict(s.client.InsertCount, s.Load, s.spec.CacheAside)
	}
	return worst(errors.Join(failed, err), context.Cause(ctx), verdict)
}

// run is one load or one measurement.
type run struct {
	*Settings
	screen   *Screen
	plan     *plan.Plan
	dir      string
	progress *measurements.Progress // nil if nobody wants to see it
	process  *measurements.Process
	samples  *measurements.Samples // nil if the histograms are enough

	armed        bool
	broken       bool // the job failed: its files may end within a line
	began, ended time.Time
	measuredFrom int64 // the second, in Unix time, with which the measurement begins
}

// prepare makes the bundle, with the plan in it; done removes what nobody asked for.
func (s *Settings) prepare(screen *Screen) (r *run, done func(begun bool) error, err error) {
	dir, done, err := s.openBundle()
	if err != nil {
		return nil, nil, err
	}
	r = &run{Settings: s, screen: screen, dir: dir, plan: s.Plan(newUID()), process: measurements.NewProcess()}
	if s.status {
		r.progress = s.newProgress(screen.Err, r.workload())
	}
	text, err := json.MarshalIndent(s.shown(r.plan), "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, bundle.PlanFile), append(text, '\n'), 0o644)
	}
	if err != nil {
		return nil, nil, errors.Join(err, done(false))
	}
	return r, done, nil
}

// shown is the plan without the store's secrets.
func (s *Settings) shown(p *plan.Plan) *plan.Plan {
	shown := *p
	shown.Store.Properties = maps.Clone(p.Store.Properties)
	for _, name := range s.entry.Secrets {
		if _, set := shown.Store.Properties[name]; set {
			shown.Store.Properties[name] = "(hidden)"
		}
	}
	return &shown
}

func (r *run) workload() *plan.Workload { return &r.plan.Workloads[0] }

func (r *run) files() fs.FS {
	if r.broken {
		return wholeLines{os.DirFS(r.dir)}
	}
	return os.DirFS(r.dir)
}

func (r *run) writer() bundle.Writer {
	role := bundle.RoleWorker
	if r.Load {
		role = bundle.RoleLoad
	}
	return bundle.Writer{Role: role, Workload: r.workload().Name, PodUID: r.plan.Run.UID}
}

// work runs the job. A signal before it is armed ends it at once, and later in order.
func (r *run) work(ctx context.Context) error {
	clock := loadgen.NewClock(time.Now)
	whole, give := context.WithCancelCause(context.WithoutCancel(ctx))
	defer give(nil)
	unlessArmed := context.AfterFunc(ctx, func() { give(context.Cause(ctx)) })
	stop, stopped := context.WithCancel(ctx)
	defer stopped()
	job := &loadgen.Job{
		Plan: r.plan, Workload: r.workload(), PodUID: r.plan.Run.UID, DataDir: r.dir, Store: r.entry,
		Clock: clock, Metrics: loadgen.NewMetrics(r.plan.Store.Name, r.workload().Name), Say: r.screen.say,
		Results: &folder{path: r.dir, clock: clock, started: r.start},
		Source:  workload.FromCommandLine(), Trace: r.trace, ConnectWithin: r.dialing, Stop: stop.Done(), Endless: r.endless(),
		Processors: r.Processors,
		Retries:    r.retries(), InsertRate: r.client.Target, Cleanup: r.process.SessionEnded,
		Armed: func() {
			r.armed = unlessArmed()
			if !r.SeedSet {
				r.screen.say("seed %d", r.Seed) // how the same operations can be had again
			}
			if r.Load && r.armed {
				r.start(clock.Now())
				if limit := r.client.MaxExecutionTime; limit > 0 {
					time.AfterFunc(limit, stopped)
				}
			}
		},
	}
	job.Samples = r.samples != nil
	job.Second = func(in *record.Interval) {
		if r.samples != nil {
			r.samples.Take(in)
		}
		if r.progress != nil {
			r.progress.Second(in, clock.Now())
		}
	}
	defer func() {
		r.ended = clock.Now()
		r.process.End()
		if r.armed && r.progress != nil {
			r.progress.Print(r.ended)
		}
	}()
	if r.Load {
		return job.Load(whole)
	}
	return job.Measure(whole)
}

func (r *run) start(at time.Time) {
	r.began = at
	if !r.Load {
		r.measuredFrom = at.Unix() + int64(r.Warmup.Seconds())
	}
	if r.progress != nil {
		r.progress.Start(at)
	}
}
