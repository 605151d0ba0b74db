package faults

// containerKill ends the member's process with SIGKILL through the container runtime: a
// crash. The pod, its address and its volumes stay.
var containerKill = Action{Name: "ContainerKill", EndsProcess: true}
