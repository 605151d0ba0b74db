package ycsb

import (
	"cmp"
	"fmt"
	"io"

	"github.com/kvbench/kvbench/internal/loadgen"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/ycsb/measurements"
)

// workloadName is the one workload's, in the names of the bundle's files.
func (s *Settings) workloadName() string {
	if s.Load {
		return "load"
	}
	return "run"
}

// Plan is the command as a run's plan. The same command and identifier give the same one.
func (s *Settings) Plan(uid string) *plan.Plan {
	w := plan.Workload{
		Name:        s.workloadName(),
		Properties:  s.workload,
		Records:     s.client.Records,
		InsertBase:  s.client.Records + s.inserted,
		InsertStart: s.client.InsertStart,
		InsertCount: s.client.InsertCount,
		LoadFirst:   s.Load,
		LoadBatch:   s.client.BatchSize,
		Load: plan.Load{
			Workers: 1, Threads: s.client.Threads, Rate: s.Rate, Shape: s.shape, MaxInFlight: s.MaxInFlight,
			WarmupMillis:           s.Warmup.Milliseconds(),
			OperationTimeoutMillis: s.OperationTimeout.Milliseconds(),
		},
	}
	if !s.Load {
		w.Operations = s.client.Operations
		w.DurationMillis = s.client.MaxExecutionTime.Milliseconds()
		if s.trace != nil && (w.Operations == 0 || w.Operations > s.measuredRows()) {
			w.Operations = s.measuredRows()
		}
		if s.endless() {
			w.DurationMillis = longest.Milliseconds()
		}
	}
	switch {
	case s.trace != nil:
		w.Load.Arrivals, w.Load.Trace = plan.ArrivalsTrace, s.traced
	case s.Rate > 0 && s.Arrivals == "poisson":
		w.Load.Arrivals = plan.ArrivalsPoisson
	case s.Rate > 0:
		w.Load.Arrivals = plan.ArrivalsConstant
	case s.client.Target > 0 && !s.Load:
		// YCSB's target: regular arrivals, and no more under way than there are threads, each of which
		// has connections of its own.
		w.Load.Rate, w.Load.Arrivals, w.Load.MaxInFlight = s.client.Target, plan.ArrivalsConstant, s.client.Threads
	}
	if w.Load.Rate > 0 && s.client.Target == 0 && s.entry.SharesConnections {
		w.Load.Connections = cmp.Or(s.Connections, plan.DefaultConnections(s.client.Threads))
	}
	return &plan.Plan{
		Format: plan.Format, Seed: s.Seed, Store: s.planStore(), Workloads: []plan.Workload{w},
		Run: plan.Run{Name: w.Name, UID: uid, ID: w.Name},
	}
}

// endless says that a measurement lasts until it is told to end.
func (s *Settings) endless() bool {
	return !s.Load && s.trace == nil && s.client.Operations == 0 && s.client.MaxExecutionTime == 0
}

func (s *Settings) planStore() plan.Store {
	store := plan.Store{
		Name: s.entry.Name, Driver: s.entry.Name, Mode: s.mode.Name, Promise: string(s.mode.Promise), Consensus: s.mode.Elects(),
		WholeRecord: s.mode.WholeRecord, Properties: s.own,
	}
	for i, address := range s.addresses {
		store.Members = append(store.Members, plan.Member{Index: i, Name: fmt.Sprintf("%s-%d", s.entry.Name, i), Address: address})
	}
	return store
}

// retries are YCSB's.
func (s *Settings) retries() *loadgen.Retries {
	c := s.client
	return &loadgen.Retries{
		Most: c.InsertRetries, Pause: c.InsertRetryInterval, Longest: c.InsertRetryInterval, Jitter: 0.2, KeepGoing: c.KeepGoing,
	}
}

func (s *Settings) newProgress(to io.Writer, w *plan.Workload) *measurements.Progress {
	p := &measurements.Progress{
		To: to, Label: s.label, Every: s.client.StatusInterval, Open: w.Load.Rate > 0, Interval: s.client.MeasurementInterval,
		Todo: w.Operations, Until: s.Warmup + s.client.MaxExecutionTime, Warmup: s.Warmup,
	}
	if s.client.MaxExecutionTime == 0 {
		p.Until = 0
	}
	if s.Load {
		p.Todo, p.Warmup = s.client.InsertCount, 0
	}
	return p
}
