package faults

import "github.com/kvbench/kvbench/internal/plan"

// podKill deletes the member's pod without grace: the member comes back as a new pod,
// with another address, and with its data only if that is on a volume.
func podKill() Action { return Action{Name: plan.ActionPodKill, ReplacesPod: true} }
