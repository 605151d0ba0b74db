package compile

import (
	"fmt"
	"strings"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/rate"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// Defaults of spec.workloads. DefaultRecords are those of a workload that begins with records of its own.
const (
	DefaultRecords  = 1000
	defaultDuration = 60 * time.Second
)

// insertRange is how many keys one workload can insert at most: a day at 10 million
// operations/s, the API's maximums, makes fewer.
const insertRange = 1 << 40

// dataset is what is in the store when a workload begins.
type dataset struct {
	existing  bool   // the store may have records from before the run
	of        string // the workload whose records they are
	spec      *workload.Spec
	records   int64
	bytes     float64 // of their fields
	workloads int64   // that have measured on it
	inserts   string  // the first of them that inserts; "" without one
}

func compileWorkloads(spec *v1alpha1.BenchmarkRunSpec, store *stores.Entry, mode *stores.Mode, room room, files Files) ([]plan.Workload, error) {
	specs := spec.Workloads
	if len(specs) == 0 {
		return nil, refuse(ReasonInvalidWorkload, "spec.workloads: there is none: name at least one, such as {name: a, preset: A}")
	}
	if err := checkThreads(spec); err != nil {
		return nil, err
	}
	var compiled []plan.Workload
	data := dataset{existing: len(spec.Store.Endpoints) > 0}
	for i := range specs {
		w, parsed, err := compileWorkload(i, &specs[i], &data, files)
		if err != nil {
			return nil, err
		}
		if err := checkReset(i, &specs[i], data.existing, store.Name, mode); err != nil {
			return nil, err
		}
		asked := mergeLoad(i, spec)
		load, err := compileLoad(asked, store, files)
		if err != nil {
			return nil, err
		}
		w.Load, w.LoadBatch = load, int(deref(asked.Batch, defaultLoadBatch))
		if len(specs[i].Clients) > 0 {
			if err := checkClients(i, &specs[i], &load, asked, parsed); err != nil {
				return nil, err
			}
			w.Clients, w.Load.Threads = compileClients(&specs[i]), threadsOf(specs[i].Clients)
		}
		if specs[i].Trace != nil {
			whole, err := compileTrace(i, &specs[i], &w, parsed, asked, files)
			if err != nil {
				return nil, err
			}
			if err := whole.CheckStore(store.Name, mode, parsed.Fields[0]); err != nil {
				return nil, refuse(ReasonInvalidFile, "%s: %v", traceField(i), err)
			}
		}
		if err := parsed.CheckStore(store.Name, mode); err != nil {
			return nil, refuse(ReasonInvalidProperty, "spec.workloads[%d].properties: %s", i, err)
		}
		if w.LoadFirst {
			if err := room.check(i, w.ToLoad(), parsed, data.bytes); err != nil {
				return nil, err
			}
			data.bytes += bytesOf(w.ToLoad(), parsed)
		}
		if parsed.OwnKeys && w.ToLoad() < int64(load.Workers) {
			return nil, refuse(ReasonInvalidProperty, "spec.workloads[%d].properties: keyspace=own shares %d records among %d workers, so some have none: set records to %d or more",
				i, w.ToLoad(), load.Workers, load.Workers)
		}
		if w.Operations > 0 && load.Shape != nil && rate.EndsAtZero(load.Shape) {
			return nil, refuse(ReasonInvalidLoad, "%s: its rate ends at 0, and spec.workloads[%d] is over after %d operations only: give that a duration, or end with another rate",
				asked.shapeField(), i, w.Operations)
		}
		compiled = append(compiled, w)
	}
	return compiled, checkLength(compiled)
}

// longestRun is for how long all workloads together can be measured. A report has a line for each
// second, and is made in the memory that the results server has.
const longestRun = 48 * time.Hour

func checkLength(workloads []plan.Workload) error {
	var all time.Duration
	for i := range workloads {
		w := &workloads[i]
		lasts, _ := rate.Lasts(w)
		if w.DurationMillis == 0 && lasts > rate.LongestByOperations {
			return refuse(ReasonInvalidWorkload, "spec.workloads[%d].operations: at its rate they take %s, and a measurement that is bounded by operations alone has %s: lower operations, raise the rate, or set a duration in their place",
				i, lasts.Round(time.Second), rate.LongestByOperations)
		}
		lasts += time.Duration(w.Load.WarmupMillis+w.Load.CooldownMillis) * time.Millisecond
		all = min(all, rate.Never-lasts) + lasts
	}
	if all > longestRun {
		return refuse(ReasonInvalidWorkload, "spec.workloads: with warm-up and cool-down they are measured for %s, and a report can hold %s: make several runs of them", all, longestRun)
	}
	return nil
}

// defaultLoadBatch is how many records a loader inserts with one request, where the store's driver can:
// loading is to be quick, and is no measurement of what the run is made for.
const defaultLoadBatch = 100

func compileWorkload(i int, spec *v1alpha1.WorkloadSpec, data *dataset, files Files) (plan.Workload, *workload.Spec, error) {
	properties, parsed, err := parseProperties(i, spec, files)
	if err != nil {
		return plan.Workload{}, nil, err
	}
	first := i == 0
	w := plan.Workload{
		Name:       spec.Name,
		Preset:     spec.Preset,
		Properties: properties,
		// A store that the run deploys is empty: its first workload need not wait for a reset.
		Reset:     deref(spec.Reset, false) && (!first || data.existing),
		LoadFirst: deref(spec.Reset, first),
	}
	asked, err := partOf(i, spec, parsed, data, w.LoadFirst || first)
	if err != nil {
		return w, nil, err
	}
	w.InsertStart, w.InsertCount = asked.start, asked.count
	switch {
	case w.LoadFirst || first && data.existing:
		*data = dataset{existing: data.existing, of: spec.Name, spec: parsed, records: asked.records}
		w.Records = data.records
	case first:
		return w, nil, refuse(ReasonInvalidWorkload, "spec.workloads[0].reset: nothing is in the store yet, so its first workload has to load: leave reset out")
	default:
		if err = sharedKeys(i, parsed, data); err != nil {
			return w, nil, err
		}
		w.Records, w.LoadFirst = asked.records, asked.added
		data.records = max(data.records, asked.records)
	}
	// Workloads on the same records insert into ranges of their own, however much each
	// of them makes.
	w.InsertBase = data.records + data.workloads*insertRange
	data.workloads++
	if data.inserts == "" && parsed.Weights[stores.Insert] > 0 {
		data.inserts = spec.Name
	}

	switch {
	case spec.Operations != nil:
		w.Operations = *spec.Operations
	case spec.Trace != nil && spec.Duration == nil:
		// It lasts as long as the trace.
	default:
		duration, err := wholeSeconds(ReasonInvalidWorkload, fmt.Sprintf("spec.workloads[%d].duration", i), spec.Duration, defaultDuration)
		if err != nil {
			return w, nil, err
		}
		w.DurationMillis = duration.Milliseconds()
	}
	return w, parsed, nil
}

func parseProperties(i int, spec *v1alpha1.WorkloadSpec, files Files) (map[string]string, *workload.Spec, error) {
	properties := map[string]string{}
	if spec.Preset != "" {
		preset, ok := workload.Preset(spec.Preset)
		if !ok {
			return nil, nil, refuse(ReasonInvalidWorkload, "spec.workloads[%d].preset: there is no preset %q: use one of A to F, or mixgraph", i, spec.Preset)
		}
		properties = preset
	}
	for name, value := range spec.Properties {
		properties[name] = string(value)
	}
	properties, err := mixClients(i, spec, properties)
	if err != nil {
		return nil, nil, err
	}
	source, err := files.lengths(i, spec.FieldLengthHistogram, properties)
	if err != nil {
		return nil, nil, err
	}
	parsed, err := workload.Parse(properties, source)
	if err != nil {
		return nil, nil, refuse(ReasonInvalidProperty, "spec.workloads[%d].properties: %s",
			i, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return properties, parsed, nil
}

// sharedKeys refuses a workload on the records of an earlier one that would not find their keys.
func sharedKeys(i int, parsed *workload.Spec, data *dataset) error {
	for _, key := range []struct {
		property string
		differs  bool
	}{
		{"table", parsed.Table != data.spec.Table},
		{"insertorder", parsed.OrderedInserts != data.spec.OrderedInserts},
		{"keyhash", parsed.GoYCSBKeys != data.spec.GoYCSBKeys},
		{"zeropadding", parsed.ZeroPadding != data.spec.ZeroPadding},
	} {
		if key.differs {
			return refuse(ReasonInvalidProperty, "spec.workloads[%d].properties: %s differs from that of workload %q, whose records they are, so none would be found: set reset: true to load anew, or make them equal",
				i, key.property, data.of)
		}
	}
	return nil
}
