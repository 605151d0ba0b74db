package read

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/rate"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/values"
	"github.com/kvbench/kvbench/internal/trace"
)

// Maximums of the API, api/v1alpha1, and of the command line, which has no fewer. A plan that
// came with a bundle may say anything, and the report's loops are as long as it says.
const (
	maxWorkloads  = 64
	maxPlanFaults = 16
	maxMillis     = 24 * 3600 * 1000
	maxTimeout    = 60_000
	maxWorkers    = 100
	maxThreads    = 1024
	maxClients    = 16
	// maxProportions bounds the properties of a group of clients, which has one for each kind of operation.
	maxProportions = 16
	maxRate        = rate.MaxRate
	maxInFlight    = 1e6
	maxRecords     = 1e15 // of the command line
	maxPlanned     = 1e15 // of the command line
	maxDeadline    = 3600 * 1000
	maxFileName    = 255
	maxFiles       = 2*maxWorkloads + 1
	maxFileBytes   = 1 << 20
)

// checkPlan refuses a plan that no spec can ask for.
func checkPlan(p *plan.Plan) error {
	for _, n := range []struct {
		of        string
		many, max int
	}{
		{"workloads", len(p.Workloads), maxWorkloads},
		{"faults", len(p.Faults), maxPlanFaults},
		{"members", len(p.Store.Members), report.MaxMembers},
		{"files", len(p.Files), maxFiles},
	} {
		if n.many > n.max {
			return fmt.Errorf("%d %s, and there can be %d", n.many, n.of, n.max)
		}
	}
	for _, of := range []struct {
		name    string
		encoded json.RawMessage
	}{{"values", p.Store.Values}, {"effectiveValues", p.Store.EffectiveValues}} {
		if err := values.Check(of.encoded); err != nil {
			return fmt.Errorf("store.%s: %w", of.name, err)
		}
	}
	for i := range p.Files {
		if err := checkFile(&p.Files[i]); err != nil {
			return fmt.Errorf("files[%d]: %w", i, err)
		}
	}
	for i := range p.Workloads {
		if err := checkWorkload(fmt.Sprintf("workloads[%d]", i), &p.Workloads[i]); err != nil {
			return err
		}
	}
	for i := range p.Faults {
		at := fmt.Sprintf("faults[%d]", i)
		if err := checkNumbers(at, []bounded{
			{"atMillis", p.Faults[i].AtMillis, maxMillis},
			{"durationMillis", p.Faults[i].DurationMillis, maxMillis},
			{"deadlineMillis", p.Faults[i].DeadlineMillis, maxDeadline},
		}); err != nil {
			return err
		}
	}
	return nil
}

func checkWorkload(at string, w *plan.Workload) error {
	if w.Load.Rate < 0 || w.Load.Rate > maxRate {
		return fmt.Errorf("%s.load.rate is %g, not from 0 to %g", at, w.Load.Rate, maxRate)
	}
	if w.Load.Shape != nil {
		if err := rate.Check(w.Load.Shape); err != nil {
			return fmt.Errorf("%s.load.shape: %w", at, err)
		}
		if n := len(w.Load.Shape.File); n > maxFileName {
			return fmt.Errorf("%s.load.shape: the name of its file has %d bytes: too many", at, n)
		}
	}
	if t := w.Load.Trace; t != nil {
		if err := checkTrace(t); err != nil {
			return fmt.Errorf("%s.load.trace: %w", at, err)
		}
	}
	if len(w.Clients) > maxClients {
		return fmt.Errorf("%s has %d groups of clients: too many", at, len(w.Clients))
	}
	for _, group := range w.Clients {
		if len(group.Name) > maxFileName || len(group.Properties) > maxProportions || group.Threads < 1 || group.Threads > maxThreads {
			return fmt.Errorf("%s.clients: a group has a name of %d bytes, %d properties and %d threads", at, len(group.Name), len(group.Properties), group.Threads)
		}
	}
	return checkNumbers(at, []bounded{
		{"durationMillis", w.DurationMillis, maxMillis},
		{"operations", w.Operations, maxPlanned},
		{"records", w.Records, maxRecords},
		{"insertStart", w.InsertStart, maxRecords},
		{"insertCount", w.InsertCount, maxRecords},
		{"load.workers", int64(w.Load.Workers), maxWorkers},
		{"load.threads", int64(w.Load.Threads), maxThreads},
		{"load.maxInFlight", int64(w.Load.MaxInFlight), maxInFlight},
		{"load.connections", int64(w.Load.Connections), maxInFlight},
		{"load.warmupMillis", w.Load.WarmupMillis, maxMillis},
		{"load.cooldownMillis", w.Load.CooldownMillis, maxMillis},
		{"load.operationTimeoutMillis", w.Load.OperationTimeoutMillis, maxTimeout},
	})
}

func checkFile(f *plan.File) error {
	for _, text := range []string{f.Name, f.ConfigMap, f.Key} {
		if len(text) > maxFileName {
			return fmt.Errorf("a name has %d bytes: too many", len(text))
		}
	}
	if len(f.SHA256) > sha256.Size*2 {
		return fmt.Errorf("its digest has %d bytes: too many", len(f.SHA256))
	}
	return checkNumbers("it", []bounded{{"bytes", int64(f.Bytes), maxFileBytes}})
}

func checkTrace(t *plan.Trace) error {
	switch {
	case len(t.File) > maxFileName || len(t.SHA256) > sha256.Size*2:
		return fmt.Errorf("its name has %d bytes and its digest %d: too many", len(t.File), len(t.SHA256))
	case !(t.Stretch > 0 && t.Stretch <= trace.MaxStretch):
		return fmt.Errorf("it is stretched by %g, not by more than 0 and up to %g", t.Stretch, trace.MaxStretch)
	}
	return checkNumbers("it", []bounded{{"rows", t.Rows, maxPlanned}, {"lastMillis", t.LastMillis, maxPlanned}})
}

// bounded is a field of the plan, from 0 to a maximum.
type bounded struct {
	name       string
	value, max int64
}

func checkNumbers(at string, numbers []bounded) error {
	for _, n := range numbers {
		if n.value < 0 || n.value > n.max {
			return fmt.Errorf("%s.%s is %d, not from 0 to %d", at, n.name, n.value, n.max)
		}
	}
	return nil
}
