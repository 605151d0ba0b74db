package objective

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/stats"
)

// Subject is what an objective bounds a figure of: a workload, or one kind of its operations.
type Subject struct{ Workload, Operation string }

// Compare orders subjects by workload, and then by operation.
func (s Subject) Compare(other Subject) int {
	return cmp.Or(strings.Compare(s.Workload, other.Workload), strings.Compare(s.Operation, other.Operation))
}

// Value is the figure of a subject, as far as it is known.
type Value struct {
	Subject
	Range stats.Range
	// Time of a percentile that is known, in internal/report/figures; "" otherwise.
	Time string
	// Why it isn't known; "" if it is, or is known as a lower bound.
	Why string
}

var nothing = stats.Range{Low: 0, High: math.Inf(1)}

// Values are the figures that the objective bounds. An objective that bounds nothing that is there has one value that isn't
// known.
func Values(o *plan.Objective, set *figures.Set) (values []Value) {
	m, known := Find(o.Metric)
	if !known {
		return []Value{{Subject{o.Workload, o.Operation}, nothing, "", "this kvbench doesn't know the metric " + o.Metric}}
	}
	for _, workload := range set.Workloads {
		if o.Workload != "" && o.Workload != workload {
			continue
		}
		switch {
		case m.OfFaults:
			values = append(values, ofFaults(o, set, workload)...)
		case m.OfOperations:
			values = append(values, ofOperations(o, set, workload)...)
		default:
			values = append(values, ofFigure(Subject{Workload: workload}, set.Find(workload, "", "", o.Metric), "nothing was measured"))
		}
	}
	if len(values) > 0 {
		return values
	}
	why := "nothing was measured that has it"
	switch {
	case m.OfFaults:
		why = "there was no fault"
	case o.Operation != "":
		why = "there was no " + o.Operation
	}
	return []Value{{Subject{o.Workload, o.Operation}, nothing, "", why}}
}

func ofFigure(subject Subject, figure *figures.Figure, without string) Value {
	if figure == nil {
		return Value{subject, nothing, "", without}
	}
	return Value{subject, stats.Range{Low: figure.Value, High: figure.Most()}, figure.Time, ""}
}

func ofOperations(o *plan.Objective, set *figures.Set, workload string) (values []Value) {
	for _, kind := range set.Operations {
		if kind.Workload == workload && (o.Operation == "" || o.Operation == kind.Operation) {
			figure := set.Find(workload, kind.Operation, "", o.Metric)
			values = append(values, ofFigure(Subject{workload, kind.Operation}, figure, "no success"))
		}
	}
	return values
}

// ofFaults is the statistic of the outages of a workload's faults, or the sum of the records that were lost by them.
func ofFaults(o *plan.Objective, set *figures.Set, workload string) []Value {
	value := Value{Subject: Subject{Workload: workload}}
	var least, most []float64
	for _, fault := range set.Faults {
		if fault.Workload != workload || o.Metric == figures.Outage && !fault.Outage {
			continue
		}
		of := ofFigure(value.Subject, set.Find(workload, "", fault.Fault, o.Metric), "nobody knows it of the fault "+fault.Fault)
		least, most = append(least, of.Range.Low), append(most, of.Range.High)
		if value.Why == "" {
			value.Why = of.Why
		}
	}
	if len(least) == 0 {
		return nil
	}
	combine := sum
	switch o.Statistic {
	case plan.StatisticMax:
		combine = slices.Max[[]float64]
	case plan.StatisticMedian:
		combine = stats.Middle
	}
	value.Range = stats.Range{Low: combine(least), High: combine(most)}
	if !math.IsInf(value.Range.High, 1) {
		value.Why = "" // the median is known all the same
	}
	return []Value{value}
}

func sum(values []float64) (total float64) {
	for _, value := range values {
		total += value
	}
	return total
}
