package loadgen

import (
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/stores/scripted"
)

// lateWaiter wakes so much after it should.
type lateWaiter struct{ by time.Duration }

func (w lateWaiter) Sleep(d time.Duration) { time.Sleep(d + w.by) }
func (lateWaiter) Close()                  {}

func TestResponseTimesThatAreTheGeneratorsAreNotValid(t *testing.T) {
	for _, c := range []struct {
		name        string
		late, store time.Duration
		valid       bool
	}{
		{"9 ms late, the store takes half of one", 9 * time.Millisecond, 500 * time.Microsecond, false},
		{"9 ms late, the store takes 100", 9 * time.Millisecond, 100 * time.Millisecond, true},
		{"0.9 ms late, the store takes half of one", 900 * time.Microsecond, 500 * time.Microsecond, true},
	} {
		load := plan.Load{Rate: 100, Arrivals: plan.ArrivalsConstant, MaxInFlight: 300, OperationTimeoutMillis: 2000}
		reasons, _ := blamed(t, scripted.Script{ServiceTime: c.store}, load, func(j *Job, _ *results) {
			j.newWaiter = func() waiter { return lateWaiter{c.late} }
		})
		if c.valid != (len(reasons) == 0) || !c.valid && reasons[0].Reason != report.GeneratorLag {
			t.Errorf("%s: %+v", c.name, reasons)
		}
	}
}
