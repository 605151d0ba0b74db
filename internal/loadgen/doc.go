// Package loadgen drives a store with a workload, and writes what it measured into the bundle.
//
// It is the measuring instrument: if it is slow, late or biased, every number is wrong. In an open loop,
// operations have intended start times that nothing moves, and latency counts from them. The generator's
// own delays are recorded apart from the store's. It measures on its monotonic clock, which it maps once
// to the results server's clock.
package loadgen
