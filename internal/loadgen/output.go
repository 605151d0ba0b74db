package loadgen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/cgroupfs"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/loadgen/ship"
)

// output is a pod's files, and their way to the results server.
type output struct {
	job     *Job
	files   map[string]*ship.File // by kind
	lines   *lines
	shipper *ship.Shipper
}

// newOutput maps the clock, makes the files of these kinds, and begins the lines.
func (j *Job) newOutput(ctx context.Context, writer bundle.Writer, kinds ...string) (*output, error) {
	estimate, err := j.Clock.Map(ctx, j.Results)
	if err != nil {
		return nil, err
	}
	o := &output{job: j, files: map[string]*ship.File{}}
	var all []*ship.File
	for _, kind := range kinds {
		file, err := ship.Create(j.DataDir, writer.File(kind))
		if err != nil {
			return nil, errors.Join(err, o.close())
		}
		o.files[kind] = file
		all = append(all, file)
	}
	o.lines = &lines{to: o.files[bundle.Jsonl], clock: j.Clock}
	o.shipper = ship.New(j.Results, j.Plan.Run.UID, j.Say, all...)
	j.Metrics.watch(o.shipper)
	return o, o.lines.write(bundle.SelfLine{Clock: &estimate})
}

func (o *output) close() (err error) {
	for _, file := range o.files {
		err = errors.Join(err, file.Close())
	}
	return err
}

// newScribe begins the log of a stage.
func (o *output) newScribe(stage *stage, startUnixNanos int64, peak func() int) (*scribe, error) {
	hlog, bins := io.Writer(o.files[bundle.Hlog]), io.Writer(nil)
	if file := o.files[bundle.Bins]; file != nil {
		bins = file
	}
	if o.job.disk != nil {
		hlog = o.job.disk(hlog)
	}
	lost := o.job.lost
	if lost == nil {
		lost = newSelf(cgroupfs.CPUStats(), cgroupfs.MemoryLimit()).since
	}
	log, err := record.NewLog(hlog, bins, startUnixNanos)
	if err != nil {
		return nil, err
	}
	return &scribe{
		clock: o.job.Clock, set: stage.set, log: log, lines: o.lines, errors: stage.errors,
		lost: lost, metrics: o.job.Metrics, sharer: stage.sharer, second: o.job.Second, peak: peak,
		// Go looks at its own timers more often than at a Waiter's when all its processors are
		// busy, and the pulse can do with milliseconds.
		pulse:   &pulse{sleep: time.Sleep, now: o.job.Clock.Now, tasks: cmp.Or(o.job.tasks, ownTasks), ran: ranOnEachCore},
		written: stage.begin,
	}, nil
}

// during runs work while its records are written down and shipped. Whatever fails
// meanwhile is given to fail, which must end ctx and so the work.
func (o *output) during(ctx context.Context, fail context.CancelCauseFunc, scribe *scribe, work func() error) error {
	var beside, pulsing, writing sync.WaitGroup
	besideCtx, stopBeside := context.WithCancel(ctx)
	defer stopBeside()
	pulseCtx, stopPulse := context.WithCancel(ctx)
	defer stopPulse()
	stopWriting := make(chan struct{})
	report := func(err error) {
		if err != nil {
			fail(err)
		}
	}
	beside.Go(func() { report(o.shipper.Run(besideCtx)) })
	beside.Go(func() { report(o.compareClocks(besideCtx)) })
	pulsing.Go(func() {
		if err := scribe.pulse.run(pulseCtx); err != nil {
			o.job.Say("a stop of this worker shows as late sends alone: %v", err)
		}
	})
	writing.Go(func() { report(scribe.run(stopWriting)) })

	report(work())
	stopPulse()
	pulsing.Wait() // what it saw last is a part of the last second
	close(stopWriting)
	writing.Wait()
	stopBeside()
	beside.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// compareClocks writes an estimate of the clock's offset now and then. A server that is
// away leaves out some of them.
func (o *output) compareClocks(ctx context.Context) error {
	for wait(ctx, clockInterval) {
		estimate, err := o.job.Results.EstimateClock(ctx, exchanges)
		if err != nil {
			continue
		}
		if err := o.lines.write(bundle.SelfLine{Clock: &estimate}); err != nil {
			return err
		}
	}
	return nil
}

// finish writes the last lines and ships until the server has everything.
func (o *output) finish(ctx context.Context, finish *bundle.Finish) error {
	clockCtx, cancel := context.WithTimeout(ctx, 5*time.Second)
	estimate, err := o.job.Results.EstimateClock(clockCtx, exchanges)
	cancel()
	if err == nil {
		err = o.lines.write(bundle.SelfLine{Clock: &estimate})
	} else {
		o.job.Say("the clock is not compared at the end: %v", err)
		err = nil
	}
	if err != nil {
		return err
	}
	if err := o.lines.write(bundle.SelfLine{Finish: finish}); err != nil {
		return err
	}
	if within := o.job.ShipWithin; within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, within, fmt.Errorf("the results server did not take them within %s", within))
		defer cancel()
	}
	return o.shipper.Finish(ctx)
}

// flush ships what there is of a measurement that was broken off; its files get no end
// mark, so nobody takes them for whole. ctx of the measurement may be what ended it.
func (o *output) flush() error {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	return o.shipper.Flush(ctx)
}
