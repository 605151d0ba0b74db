package faults

import "github.com/kvbench/kvbench/internal/plan"

// containerKill ends the member's process with SIGKILL through the container runtime: a
// crash. The pod, its address and its volumes stay.
func containerKill() Action { return Action{Name: plan.ActionContainerKill} }
