package compile

import (
	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// part is what a workload asks for among the records.
type part struct {
	records      int64 // that there are, once it is loaded
	start, count int64 // as in plan.Workload: both 0 are all
	added        bool  // it is loaded beside what is there
}

// partOf resolves a workload's records, insertStart and insertCount. loads says that it begins with records of its own: it empties
// the store, or is the first one.
func partOf(i int, spec *v1alpha1.WorkloadSpec, parsed *workload.Spec, data *dataset, loads bool) (part, error) {
	// Endpoints may have records of others, unless they are emptied.
	others := data.existing && loads && !deref(spec.Reset, false)
	start, there := deref(spec.InsertStart, 0), data.records
	switch {
	case loads && there > 0:
		there = deref(spec.Records, there)
	case loads:
		there = deref(spec.Records, DefaultRecords)
	}
	p := part{records: deref(spec.Records, there), start: start, count: deref(spec.InsertCount, 0)}
	appends := !loads && start == there && start > 0
	if spec.Records == nil && spec.InsertCount != nil && (loads || appends) {
		p.records = start + p.count
	}
	end := p.records
	if p.count > 0 {
		end = start + p.count
	}
	switch {
	case start >= p.records:
		return p, refuse(ReasonInvalidWorkload, "spec.workloads[%d].insertStart: of %d records none has the number %d or a higher one: lower insertStart, or set records or insertCount",
			i, p.records, start)
	case end > p.records:
		return p, refuse(ReasonInvalidWorkload, "spec.workloads[%d].insertCount: %d records from number %d on are beyond the %d of records: lower it, or raise records",
			i, p.count, start, p.records)
	case (loads || appends) && end < p.records && !others:
		return p, refuse(ReasonInvalidWorkload, "spec.workloads[%d].records: with insertCount %d the records from number %d on would be missing: leave records out, or insertCount",
			i, p.count, end)
	case loads && start > 0 && !others:
		return p, refuse(ReasonInvalidWorkload, "spec.workloads[%d].insertStart: the store is empty then, so the records before number %d would be missing: leave it out, or load them with a workload before it",
			i, start)
	case appends && data.inserts != "":
		return p, refuse(ReasonInvalidWorkload, "spec.workloads[%d].insertStart: workload %q inserts records of its own, so nobody knows how many are there: put this workload before it, or set reset: true and load all",
			i, data.inserts)
	case !loads && !appends && end > there:
		return p, refuse(ReasonInvalidWorkload, "spec.workloads[%d].records: workload %q has %d records, so %d can't be measured on: set reset: true to load anew, insertStart: %d to load those that are missing, or lower records",
			i, data.of, there, end, there)
	}
	if start == 0 && end == p.records {
		p.count = 0
	}
	if p.start+p.count > 0 {
		if text := beyondAPart(parsed); text != "" {
			return p, refuse(ReasonInvalidProperty, "spec.workloads[%d].insertStart and insertCount: %s, so the workload would ask for more than its part: leave them out, or take another preset or distribution", i, text)
		}
	}
	p.added = appends
	return p, nil
}

// beyondAPart says by what a workload asks for other records than those of a part; "" if it doesn't.
func beyondAPart(parsed *workload.Spec) string {
	switch {
	case parsed.Weights[stores.Insert] > 0:
		return "its inserts come behind all records, and are asked for as well"
	case parsed.Weights[stores.Scan] > 0:
		return "its scans go on behind the part"
	case parsed.Requests == workload.Latest, parsed.Requests == workload.Exponential:
		return "its requests begin at the newest of all records"
	}
	return ""
}
