package compute_test

import (
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

func TestClosedLoopHasServiceTimesOnly(t *testing.T) {
	s := reporttest.NewSituation()
	s.Workload().Load.Rate = 0
	r := reporttest.Report(t, s.Build(t))
	w := r.Workloads[0]
	if w.Load.Model != report.ModelClosed || w.Load.Arrivals != "" || w.Load.MaxInFlight != 0 {
		t.Errorf("load is %+v", w.Load)
	}
	if len(w.Operations) == 0 {
		t.Error("there are no operations")
	}
	for _, op := range w.Operations {
		if op.ResponseTime != nil || op.WaitTime != nil || op.ServiceTime == nil {
			t.Errorf("%s: response time %v, service time %v", op.Operation, op.ResponseTime, op.ServiceTime)
		}
	}
	if w.Generator.AchievedRate != nil {
		t.Error("a closed loop has no rate to achieve")
	}
	if !r.Faults[0].LimitedByClient {
		t.Error("the outage of a closed loop is limited by the client")
	}
}

func TestMeasurementOfOperationsEndsWithThem(t *testing.T) {
	s := reporttest.NewSituation()
	s.Workload().Load.Rate = 0
	s.Workload().DurationMillis, s.Workload().Operations = 0, 27_000
	s.Plan.Faults, s.Fault = nil, nil
	w := reporttest.Report(t, s.Build(t)).Workloads[0]
	if w.DurationMicros != 25*second || w.Load.RequestedOperations != 27_000 {
		t.Errorf("lasted %d µs", w.DurationMicros)
	}
	if last := w.Series[len(w.Series)-1]; last.Phase != report.PhaseMeasurement {
		t.Errorf("the last second is %+v", last)
	}
}
