package compile

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/rate"
	"github.com/kvbench/kvbench/internal/stores"
)

// Defaults of spec.load.
const (
	defaultWorkers          = 1
	defaultThreads          = 8
	defaultWarmup           = 10 * time.Second
	defaultCooldown         = 5 * time.Second
	defaultOperationTimeout = 2 * time.Second
)

// An open loop needs rate × operationTimeout slots to keep its arrivals while a dead
// member holds every operation until its deadline; half as many again absorb the bursts.
const (
	inFlightMargin = 1.5
	maxInFlight    = 1_000_000 // the API's maximum
)

// loadOf is the load of one workload.
type loadOf struct {
	v1alpha1.WorkloadLoadSpec // the run's, with the workload's own over it

	own      v1alpha1.WorkloadLoadSpec
	workload int
	replays  bool // a trace, which has a time for each request
}

// mergeLoad puts the workload's own load over the run's.
func mergeLoad(i int, spec *v1alpha1.BenchmarkRunSpec) *loadOf {
	load := &loadOf{WorkloadLoadSpec: spec.Load.WorkloadLoadSpec, workload: i, replays: spec.Workloads[i].Trace != nil}
	if spec.Workloads[i].Load == nil {
		return load
	}
	load.own = *spec.Workloads[i].Load
	own := &load.own
	if own.Rate != nil || own.RateShape != nil {
		load.Rate, load.RateShape = own.Rate, own.RateShape
	}
	load.Workers = cmp.Or(own.Workers, load.Workers)
	load.Threads = cmp.Or(own.Threads, load.Threads)
	load.Arrivals = cmp.Or(own.Arrivals, load.Arrivals)
	load.MaxInFlight = cmp.Or(own.MaxInFlight, load.MaxInFlight)
	load.Batch = cmp.Or(own.Batch, load.Batch)
	load.Connections = cmp.Or(own.Connections, load.Connections)
	load.Warmup = cmp.Or(own.Warmup, load.Warmup)
	load.Cooldown = cmp.Or(own.Cooldown, load.Cooldown)
	load.OperationTimeout = cmp.Or(own.OperationTimeout, load.OperationTimeout)
	return load
}

// LoadOf is what a workload has to say as its own load, so that it is driven as it is in the run, where the run's load says nothing.
// Nothing is in it that a workload may not say of itself.
func LoadOf(spec *v1alpha1.BenchmarkRunSpec, workload int) *v1alpha1.WorkloadLoadSpec {
	merged := mergeLoad(workload, spec)
	load := merged.DeepCopy()
	open := load.Rate != nil || load.RateShape != nil
	if !open {
		load.Arrivals = ""
	}
	if !open && !merged.replays {
		load.Connections, load.MaxInFlight = nil, nil
	}
	if len(spec.Workloads[workload].Clients) > 0 && merged.own.Threads == nil {
		load.Threads = nil // those of the run are for workloads without clients
	}
	return load
}

// field is where the spec has a field of the load, which is the workload's own or the run's.
func (l *loadOf) field(name string, own bool) string {
	if own {
		return fmt.Sprintf("spec.workloads[%d].load.%s", l.workload, name)
	}
	return "spec.load." + name
}

// rateField is where the spec has the rate, or the rateShape, whichever is set.
func (l *loadOf) rateField() string {
	if l.RateShape != nil {
		return l.shapeField()
	}
	return l.field("rate", l.own.Rate != nil)
}

func (l *loadOf) shapeField() string { return l.field("rateShape", l.own.RateShape != nil) }

func compileLoad(spec *loadOf, entry *stores.Entry, files Files) (plan.Load, error) {
	warmup, err := wholeSeconds(ReasonInvalidLoad, spec.field("warmup", spec.own.Warmup != nil), spec.Warmup, cmp.Or(entry.Warmup, defaultWarmup))
	if err != nil {
		return plan.Load{}, err
	}
	cooldown, err := wholeSeconds(ReasonInvalidLoad, spec.field("cooldown", spec.own.Cooldown != nil), spec.Cooldown, defaultCooldown)
	if err != nil {
		return plan.Load{}, err
	}
	timeout := or(spec.OperationTimeout, defaultOperationTimeout)
	load := plan.Load{
		Workers:                int(deref(spec.Workers, defaultWorkers)),
		Threads:                int(deref(spec.Threads, defaultThreads)),
		WarmupMillis:           warmup.Milliseconds(),
		CooldownMillis:         cooldown.Milliseconds(),
		OperationTimeoutMillis: timeout.Milliseconds(),
	}
	switch {
	case spec.RateShape != nil:
		if load.Shape, err = compileShape(spec, files); err != nil {
			return load, err
		}
		if err := rate.Check(load.Shape); err != nil {
			return load, refuse(ReasonInvalidLoad, "%s: %v", spec.shapeField(), err)
		}
		load.Rate = rate.Peak(load.Shape)
	case spec.Rate != nil:
		load.Rate = float64(*spec.Rate)
	default:
		return load, spec.checkClosedLoop()
	}
	load.Arrivals = plan.ArrivalsPoisson
	if spec.Arrivals != "" {
		load.Arrivals = spec.Arrivals
	}
	return load, boundInFlight(&load, spec)
}

// checkClosedLoop refuses what a workload says of an open loop, and has no rate and no trace for.
func (l *loadOf) checkClosedLoop() error {
	said := ""
	switch {
	case l.own.Arrivals != "" && l.replays:
		return refuse(ReasonInvalidLoad, "%s: a trace has a time for each request: leave it out", l.field("arrivals", true))
	case l.own.Arrivals != "":
		said = "arrivals"
	case l.own.Connections != nil && !l.replays:
		said = "connections"
	case l.own.MaxInFlight != nil && !l.replays:
		said = "maxInFlight"
	default:
		return nil
	}
	return refuse(ReasonInvalidLoad, "%s: needs a rate: without one the load is a closed loop of workers × threads, each with connections of its own", l.field(said, true))
}

// shareConnections says over how many connections the operations of open loops go, where the store's
// driver shares them.
func shareConnections(workloads []plan.Workload, spec *v1alpha1.BenchmarkRunSpec, entry *stores.Entry) error {
	for i := range workloads {
		asked, load := mergeLoad(i, spec), &workloads[i].Load
		switch {
		case !entry.SharesConnections && asked.Connections != nil:
			return refuse(ReasonInvalidLoad, "%s: the driver of %s doesn't share connections by number: leave it out",
				asked.field("connections", asked.own.Connections != nil), entry.Name)
		case entry.SharesConnections && load.Rate > 0:
			load.Connections = int(deref(asked.Connections, int32(plan.DefaultConnections(load.Threads))))
		}
	}
	return nil
}

// boundInFlight says how many operations may be under way in an open loop.
func boundInFlight(load *plan.Load, spec *loadOf) error {
	if spec.MaxInFlight == nil {
		slots := math.Ceil(load.Rate * float64(load.OperationTimeoutMillis) / 1000 * inFlightMargin)
		load.MaxInFlight = min(max(int(slots), load.Workers), maxInFlight)
		return nil
	}
	load.MaxInFlight = int(*spec.MaxInFlight)
	if load.MaxInFlight < load.Workers {
		return refuse(ReasonInvalidLoad, "%s: %d operations under way don't give each of %d workers one: raise it, or lower %s",
			spec.field("maxInFlight", spec.own.MaxInFlight != nil), load.MaxInFlight, load.Workers, spec.field("workers", spec.own.Workers != nil))
	}
	return nil
}

// compileShape may make a shape that rate.Check refuses.
func compileShape(load *loadOf, files Files) (*plan.Shape, error) {
	spec := load.RateShape
	if spec.Schedule != nil {
		return files.schedule(load.shapeField()+".schedule", spec.Schedule)
	}
	shape := &plan.Shape{}
	add := func(from, to int64, length v1alpha1.Duration) {
		shape.Segments = append(shape.Segments, plan.Segment{From: float64(from), To: float64(to), Millis: length.Or(0).Milliseconds()})
	}
	for _, step := range spec.Steps {
		add(step.Rate, step.Rate, step.For)
	}
	if r := spec.Ramp; r != nil {
		add(r.From, r.To, r.Over)
	}
	if s := spec.Sine; s != nil {
		shape.Sine = &plan.Sine{Mean: float64(s.Mean), Amplitude: float64(s.Amplitude), PeriodMillis: s.Period.Or(0).Milliseconds()}
	}
	return shape, nil
}

// wholeSeconds is a length of time that begins or ends what is measured. Histograms are kept
// by the second: with a part of one, a second would be half measured, and its operations
// could not be told apart.
func wholeSeconds(reason, field string, d *v1alpha1.Duration, byDefault time.Duration) (time.Duration, error) {
	length := or(d, byDefault)
	if rest := length % time.Second; rest != 0 {
		return 0, refuse(reason, "%s: %s is no whole number of seconds, and latencies are kept by the second: write %ds", field, *d, (length-rest)/time.Second+1)
	}
	return length, nil
}

func or(d *v1alpha1.Duration, byDefault time.Duration) time.Duration {
	if d == nil {
		return byDefault
	}
	return d.Or(byDefault)
}

func deref[T any](pointer *T, byDefault T) T {
	if pointer == nil {
		return byDefault
	}
	return *pointer
}
