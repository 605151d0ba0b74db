// Package loadgen drives a store with a workload and leaves what it saw in the bundle.
//
// It is the instrument: when it is slow, late or biased, every number is wrong. In an
// open loop operations start at intended times that nothing moves; latency runs from
// there; and the generator's own delays are recorded apart from the store's. It measures
// on its monotonic clock, mapped once to the results server's.
package loadgen
