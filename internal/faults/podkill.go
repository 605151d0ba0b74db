package faults

// podKill deletes the member's pod without grace: the member comes back as a new pod,
// with another address, and with its data only if that is on a volume.
var podKill = Action{Name: "PodKill", EndsProcess: true, ReplacesPod: true}
