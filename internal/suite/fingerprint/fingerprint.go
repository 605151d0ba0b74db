// Package fingerprint says in what two runs differ, beside what they were to differ in. It is pure.
package fingerprint

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
)

// Print has a value for each field in which runs must be alike to be compared. A field is a JSON pointer (RFC 6901) into the
// run's spec, where the spec has such a field. What kvbench derives from the spec has a field beside it: the promise of a mode
// is /store/promise. Nothing in it is of one run alone, such as the names of members.
type Print map[string]string

// Reuse is the field of the runs of a suite whose combinations may share stores. It is not there for others, nor for those with faults.
const Reuse = "/reuse"

// notSettings are values of the catalog's charts that have a field of their own, or that say nothing of how members work.
var notSettings = []string{"nodes", "security", "networkPolicy"}

// Of takes the fingerprint of a run from its report.
func Of(r *report.Report) Print {
	p := Print{"/kvbench": r.Kvbench}
	p.addStore(&r.Store)
	if r.Placement != nil {
		p.addPlacement("/placement/members", &r.Placement.Members)
		p.addPlacement("/placement/workers", &r.Placement.Workers)
		if r.Placement.ToMembers != "" {
			p["/placement/workers/toMembers"] = r.Placement.ToMembers
		}
	}
	if r.Environment != nil {
		p.addEnvironment(r.Environment)
	}
	for i := range r.Workloads {
		p.addWorkload(i, &r.Workloads[i])
	}
	for i := range r.Faults {
		fault := &r.Faults[i]
		at := "/faults/" + strconv.Itoa(i)
		p[at+"/action"], p[at+"/target/role"], p[at+"/workload"] = fault.Action, fault.Role, fault.Workload
		if fault.DueAt != nil {
			p[at+"/at"] = fmt.Sprint(int64(fault.DueAt.SinceStartMicros))
		}
		if fault.DurationMicros != nil {
			p[at+"/duration"] = fmt.Sprint(*fault.DurationMicros)
		}
	}
	for _, file := range r.Files {
		p["/files/"+Escape(file.Name)] = file.SHA256
	}
	return p
}

func (p Print) addStore(s *report.Store) {
	for field, value := range map[string]string{
		"name": s.Name, "driver": s.Driver, "mode": s.Mode, "promise": s.Promise, "security": s.Security, "version": s.Version,
		"catalogChart": s.Chart, "nodes": strconv.Itoa(len(s.Members)), "existing": strconv.FormatBool(s.Existing),
	} {
		p["/store/"+field] = value
	}
	if s.Persistent != nil {
		p["/store/persistent"] = strconv.FormatBool(*s.Persistent)
	}
	values := maps.Clone(s.Values)
	if s.OwnChart != nil {
		p["/store/chart"] = s.OwnChart.SHA256
	} else {
		for _, name := range notSettings {
			delete(values, name)
		}
		if image, ok := values["image"].(map[string]any); ok {
			values["image"] = without(image, "tag") // which is the version
		}
	}
	for name, value := range values {
		p.addValue("/store/values/"+Escape(name), value)
	}
}

// addPlacement adds fields that are set. What isn't there and what is empty are alike to the scheduler.
func (p Print) addPlacement(at string, placed *plan.PodPlacement) {
	for label, value := range placed.NodeSelector {
		p[at+"/nodeSelector/"+Escape(label)] = value
	}
	if len(placed.Tolerations) > 0 {
		p.addJSON(at+"/tolerations", placed.Tolerations)
	}
	if placed.Spread != "" {
		p[at+"/spread"] = placed.Spread
	}
}

func without(object map[string]any, name string) map[string]any {
	rest := maps.Clone(object)
	delete(rest, name)
	return rest
}

// addValue adds the leaves of a JSON value.
func (p Print) addValue(at string, value any) {
	if object, ok := value.(map[string]any); ok && len(object) > 0 {
		for name, inner := range object {
			p.addValue(at+"/"+Escape(name), inner)
		}
		return
	}
	p.addJSON(at, value)
}

func (p Print) addWorkload(index int, w *report.Workload) {
	at := "/workloads/" + strconv.Itoa(index)
	p[at+"/name"], p[at+"/preset"], p[at+"/records"] = w.Name, w.Preset, fmt.Sprint(w.Records)
	p[at+"/duration"] = fmt.Sprint(w.DurationMicros)
	if w.InsertStart != 0 {
		p[at+"/insertStart"] = fmt.Sprint(w.InsertStart)
	}
	if w.InsertCount != 0 {
		p[at+"/insertCount"] = fmt.Sprint(w.InsertCount)
	}
	for name, value := range w.Properties {
		p[at+"/properties/"+Escape(name)] = value
	}
	if w.Loading != nil {
		p[at+"/load/batch"] = strconv.Itoa(w.Loading.Batch)
	}
	l := &w.Load
	for field, value := range map[string]any{
		"model": l.Model, "rate": l.Rate, "arrivals": l.Arrivals, "workers": l.Workers, "threads": l.Threads, "maxInFlight": l.MaxInFlight,
		"connections": l.Connections, "warmup": l.WarmupMicros, "cooldown": l.CooldownMicros, "operationTimeout": l.OperationTimeoutMicros, "updateWrites": l.UpdateWrites,
	} {
		p[at+"/load/"+field] = fmt.Sprint(value)
	}
	for i, group := range l.Clients {
		of := at + "/clients/" + strconv.Itoa(i)
		p[of+"/name"], p[of+"/threads"], p[of+"/mix"] = group.Name, strconv.Itoa(group.Threads), strings.Join(group.Operations, ", ")
	}
	if l.RequestedOperations != 0 {
		p[at+"/operations"] = fmt.Sprint(l.RequestedOperations)
		delete(p, at+"/duration") // which is what came out
	}
	if l.Shape != nil {
		p.addJSON(at+"/load/rateShape", l.Shape)
	}
	if l.Trace != nil {
		p[at+"/trace"] = l.Trace.SHA256 + " " + fmt.Sprint(l.Trace.Stretch)
		delete(p, at+"/duration") // which is what came out, where nothing else bounds it
	}
}

func (p Print) addJSON(at string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		text = []byte(err.Error()) // a value that was read from JSON is written
	}
	p[at] = string(text)
}

// Escape writes a name as a token of a JSON pointer.
func Escape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// Difference is a field whose values differ. A field that a run doesn't have has the value "".
type Difference struct {
	Field   string `json:"field"`
	Value   string `json:"value"`
	Against string `json:"against"`
}

// Differences are the fields in which the first differs from the second, in their order.
func Differences(one, other Print) (all []Difference) {
	fields := map[string]bool{}
	for _, p := range []Print{one, other} {
		for field := range p {
			fields[field] = true
		}
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if one[field] != other[field] && !unknown(field, one, other) {
			all = append(all, Difference{field, one[field], other[field]})
		}
	}
	return all
}
