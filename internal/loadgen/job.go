package loadgen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/pace"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/loadgen/ship"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/trace"
	"github.com/kvbench/kvbench/internal/workload"
)

// Results is the results server, as far as a worker needs it. Its clock estimates are
// made with the job's Clock.
type Results interface {
	Claim(ctx context.Context, uid string, w bundle.Writer) error
	AwaitStart(ctx context.Context, uid, workload string) (bundle.Start, error)
	EstimateClock(ctx context.Context, n int) (bundle.Clock, error)
	ship.Server
}

// Job is one pod's part of a workload.
type Job struct {
	Plan     *plan.Plan
	Workload *plan.Workload
	Index    int // of the worker
	PodUID   string
	DataDir  string
	Store    *stores.Entry
	// Credentials are what the store asks for; nil where it asks for nothing.
	Credentials *stores.Credentials
	Results     Results
	Clock       *Clock
	Metrics     *Metrics
	// Say takes a line for whoever reads the pod's log.
	Say func(format string, args ...any)
	// Armed is called when the worker needs nothing more than its start.
	Armed func()
	// ShipWithin bounds the wait for the results server at the end; 0 is no bound.
	ShipWithin time.Duration

	// Source says what the workload's properties may name.
	Source workload.Source
	// Processors sets how many processors Go uses, and returns how many it had (runtime.GOMAXPROCS). A process
	// that does nothing beside the job sets it, so that a closed loop uses no more of them than it needs.
	Processors func(int) int
	// Trace, if it is set, is what an open loop replays: this worker's share.
	Trace *trace.Trace

	// What follows is for a job on a command line; pods leave it at its zero value.

	// ConnectWithin bounds the wait for the store at the begin; 0 is connectTimeout.
	ConnectWithin time.Duration
	// Stop, once closed, ends the work early and in order: what is under way ends, and the
	// files are complete.
	Stop <-chan struct{}
	// Endless says that the workload's duration is no more than a bound: it lasts until Stop,
	// and nobody knows how many operations that will be.
	Endless bool
	// Retries, if they are set, are how a load repeats an insert that failed.
	Retries *Retries
	// InsertRate bounds the inserts/s of a load; 0 is no bound.
	InsertRate float64
	// Second takes what was recorded in each second, if it is set. The interval is valid
	// until it returns.
	Second func(*record.Interval)
	// Samples has the intervals that Second takes hold every operation.
	Samples bool
	// Cleanup is told how long the end of each session took, if it is set. It is called
	// concurrently.
	Cleanup func(took time.Duration)

	// What a worker has of its machine; tests change it. newWaiter makes what waits for
	// instants, lost tells what the garbage collector and
	// CPU quotas took since the last call, disk is what the interval log is written through, tasks is the folder
	// with the process's threads.
	newWaiter func() waiter
	lost      func() lost
	disk      func(io.Writer) io.Writer
	tasks     string
}

// ErrNotOpened means that the driver cannot do what it was told to.
var ErrNotOpened = errors.New("the driver cannot be opened")

// ErrUnreachable means that the store did not answer before anything was done.
var ErrUnreachable = errors.New("the store is unreachable")

var errStopped = errors.New("told to stop")

// cutShort is why a measurement ended before its time: the results server has room for no more.
type cutShort struct{ at time.Time }

func (*cutShort) Error() string { return "the results server is nearly full" }

// untilStopped ends with ctx, or when the job is to stop, or once full is closed.
func (j *Job) untilStopped(ctx context.Context, full <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-j.Stop: // never, when it is nil
			cancel(errStopped)
		case <-full:
			cancel(&cutShort{at: j.Clock.Now()})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// waiter waits at most so long; it belongs to the goroutine that made it.
type waiter interface {
	Sleep(time.Duration)
	Close()
}

func (j *Job) waiter() waiter {
	if j.newWaiter != nil {
		return j.newWaiter()
	}
	return pace.NewWaiter()
}

// ErrSecondClaimant means that another pod does this worker's part already.
var ErrSecondClaimant = errors.New("another pod has claimed this worker's index")

// ErrMeasurementLost means that this worker could not take part in the measurement from
// its begin on. It is never repeated in silence.
var ErrMeasurementLost = errors.New("measurement lost")

func (j *Job) writer(role string) bundle.Writer {
	return bundle.Writer{Role: role, Workload: j.Workload.Name, Index: j.Index, PodUID: j.PodUID}
}

func (j *Job) timeout() time.Duration {
	return time.Duration(j.Workload.Load.OperationTimeoutMillis) * time.Millisecond
}

// claim comes before everything else: a Job may start a pod twice.
func (j *Job) claim(ctx context.Context, writer bundle.Writer) error {
	err := patiently(ctx, func() error { return j.Results.Claim(ctx, j.Plan.Run.UID, writer) })
	if errors.Is(err, client.ErrClaimed) {
		return fmt.Errorf("%w: %w", ErrSecondClaimant, err)
	}
	if err != nil {
		return fmt.Errorf("claim index %d of workload %q: %w", j.Index, j.Workload.Name, err)
	}
	return nil
}

// keyspace prepares the operations.
func (j *Job) keyspace() (*workload.Keyspace, error) {
	spec, err := workload.Parse(j.Workload.Properties, j.Source)
	if err != nil {
		return nil, fmt.Errorf("workload %q: %w", j.Workload.Name, err)
	}
	share := workload.Share{
		Records:     j.Workload.Records,
		InsertBase:  j.Workload.InsertBase,
		InsertStart: j.Workload.InsertStart,
		InsertCount: j.Workload.InsertCount,
		Worker:      j.Index,
		Workers:     j.Workload.Load.Workers,
		Operations:  j.expectedOperations(),
		Seed:        j.seed(),
		WholeRecord: j.Plan.Store.WholeRecord,
	}
	if j.Trace != nil {
		share.LargestRecorded = j.Trace.Summary().Largest
	}
	return workload.NewKeyspace(spec, share), nil
}

// seed is the run's, mixed with the workload's place: workloads of one run differ.
func (j *Job) seed() uint64 {
	return workload.NewRand(j.Plan.Seed, j.Workload.Name, 0).Uint64()
}

// connectTimeout bounds the wait for a store that was ready when the job began.
const connectTimeout = 60 * time.Second

// connect opens the driver and sees the store answer.
// Its sessions share so many connections to each member, or none.
func (j *Job) connect(ctx context.Context, ttl time.Duration, connections int) (stores.Driver, error) {
	config := stores.Config{
		Connections: connections,
		Mode:        j.Plan.Store.Mode, Properties: j.Plan.Store.Properties, Timeout: j.timeout(), TTL: ttl, Shared: j.Plan.Store.Existing,
		Credentials: j.Credentials,
	}
	for _, member := range j.Plan.Store.Members {
		config.Addresses = append(config.Addresses, member.Address)
		config.Names = append(config.Names, member.Name)
	}
	driver, err := j.Store.Open(config)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotOpened, err)
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(j.ConnectWithin, connectTimeout))
	defer cancel()
	for {
		err := ping(ctx, driver, j.timeout())
		if err == nil {
			return driver, nil
		}
		if !wait(ctx, 250*time.Millisecond) {
			return nil, errors.Join(fmt.Errorf("%w: %s does not answer at %v: %w", ErrUnreachable, j.Store.Name, config.Addresses, err), driver.Close())
		}
	}
}

func ping(ctx context.Context, driver stores.Driver, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return driver.Ping(ctx)
}

// newSet makes the recorders.
func (j *Job) newSet(n int, startUnixNanos int64, open bool) *record.Set {
	set := record.NewSet(n, startUnixNanos, open)
	if j.Samples {
		set.KeepSamples()
	}
	return set
}
