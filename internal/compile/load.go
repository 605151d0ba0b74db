package compile

import (
	"cmp"
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

func compileLoad(spec *v1alpha1.LoadSpec, entry *stores.Entry, files Files) (plan.Load, error) {
	warmup, err := wholeSeconds(ReasonInvalidLoad, "spec.load.warmup", spec.Warmup, cmp.Or(entry.Warmup, defaultWarmup))
	if err != nil {
		return plan.Load{}, err
	}
	cooldown, err := wholeSeconds(ReasonInvalidLoad, "spec.load.cooldown", spec.Cooldown, defaultCooldown)
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
		if load.Shape, err = compileShape(spec.RateShape, files); err != nil {
			return load, err
		}
		if err := rate.Check(load.Shape); err != nil {
			return load, refuse(ReasonInvalidLoad, "spec.load.rateShape: %v", err)
		}
		load.Rate = rate.Peak(load.Shape)
	case spec.Rate != nil:
		load.Rate = float64(*spec.Rate)
	default:
		return load, nil
	}
	load.Arrivals = plan.ArrivalsPoisson
	if spec.Arrivals != "" {
		load.Arrivals = spec.Arrivals
	}
	return load, boundInFlight(&load, spec)
}

// shareConnections says over how many connections the operations of open loops go, where the store's
// driver shares them.
func shareConnections(workloads []plan.Workload, spec *v1alpha1.LoadSpec, entry *stores.Entry) error {
	if !entry.SharesConnections {
		if spec.Connections != nil {
			return refuse(ReasonInvalidLoad, "spec.load.connections: the driver of %s doesn't share connections by number: leave it out", entry.Name)
		}
		return nil
	}
	for i := range workloads {
		if load := &workloads[i].Load; load.Rate > 0 {
			load.Connections = int(deref(spec.Connections, int32(plan.DefaultConnections(load.Threads))))
		}
	}
	return nil
}

// boundInFlight says how many operations may be under way in an open loop.
func boundInFlight(load *plan.Load, spec *v1alpha1.LoadSpec) error {
	if spec.MaxInFlight == nil {
		slots := math.Ceil(load.Rate * float64(load.OperationTimeoutMillis) / 1000 * inFlightMargin)
		load.MaxInFlight = min(max(int(slots), load.Workers), maxInFlight)
		return nil
	}
	load.MaxInFlight = int(*spec.MaxInFlight)
	if load.MaxInFlight < load.Workers {
		return refuse(ReasonInvalidLoad, "spec.load.maxInFlight: %d operations under way don't give each of %d workers one: raise it, or lower spec.load.workers",
			load.MaxInFlight, load.Workers)
	}
	return nil
}

// compileShape may make a shape that rate.Check refuses.
func compileShape(spec *v1alpha1.RateShape, files Files) (*plan.Shape, error) {
	if spec.Schedule != nil {
		return files.schedule(spec.Schedule)
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
