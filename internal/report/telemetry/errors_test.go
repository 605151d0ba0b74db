package telemetry

import (
	"fmt"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
)

func TestAFloodOfCodesKeepsOperationsAndOutcomes(t *testing.T) {
	want := map[errorKey]int64{
		{operation: "READ", outcome: "failed"}:    300,
		{operation: "UPDATE", outcome: "failed"}:  100,
		{operation: "UPDATE", outcome: "unknown"}: 200,
	}
	worker := &Worker{}
	for of, n := range want {
		for i := range n {
			worker.errors.add(bundle.ErrorSeen{Operation: of.operation, Outcome: of.outcome, Code: fmt.Sprint("code ", i), Count: 1})
		}
	}
	for i := range 1000 { // no pod writes these
		worker.errors.add(bundle.ErrorSeen{Operation: fmt.Sprint("operation ", i), Outcome: "failed", Code: "code", Count: 1})
	}
	counts := CountErrors([]*Worker{worker, worker})
	if len(counts) > maxErrorKinds+4 {
		t.Errorf("%d kinds are kept", len(counts))
	}
	got := map[errorKey]int64{}
	for _, c := range counts {
		got[errorKey{operation: c.Operation, outcome: c.Outcome}] += c.Count
	}
	for of, n := range want {
		if got[of] != 2*n {
			t.Errorf("%s %s: %d errors, want %d", of.operation, of.outcome, got[of], 2*n)
		}
	}
	if got[errorKey{}] != 2000 {
		t.Errorf("%d errors of operations that don't exist", got[errorKey{}])
	}
}
