package compile

import "fmt"

// maxPlanBytes leaves room for the CA beside the plan in a ConfigMap of 1 MiB, which is also
// what the results server takes.
const maxPlanBytes = 960 << 10

// CheckSize refuses a plan, as it is written, that is too large to be handed to pods.
func CheckSize(planJSON []byte) error {
	if len(planJSON) <= maxPlanBytes {
		return nil
	}
	return &Refusal{Reason: "PlanTooLarge", Message: fmt.Sprintf(
		"the run's plan has %d bytes, and can have %d: shorten spec.load.rateShape's file, or make several runs of the workloads", len(planJSON), maxPlanBytes)}
}
