// Package limits has the numbers by which a run is judged, each with its reason. It has no code.
package limits

import "time"

// Limits of validity: the generator's and the observer's own errors, never the store's.
// docs/reference/validity.md is the same table for readers; a test holds them together.
const (
	// MinAchievedRate is the least share of the intended operations that must have been
	// sent within maxLagMicros, over the seconds outside fault windows in which no operation
	// waited for the store. 1 % is what a percentile at two digits doesn't show.
	MinAchievedRate = 0.99

	// MinScheduledRate is the least share of the plan's rate that must have been
	// intended at all: the pacer itself kept up. Poisson arrivals may fall short by
	// poissonSigmas standard deviations beyond it, which chance does once in 30,000 runs.
	MinScheduledRate = 0.99
	PoissonSigmas    = 4

	// MaxLagP99Micros bounds the p99, over the measurement, of the lag between an
	// operation's intended time and its send, or its wait for a slot: a tenth of the 100 ms
	// from which on an operation is overdue. It is not judged second by second: of 100
	// sends in a second, the p99 is the longest of all.
	MaxLagP99Micros = 10_000
	// MaxLagMicros bounds a single lag: beyond it, the generator's own pause could pass
	// for an outage.
	MaxLagMicros = 250_000
	// MaxLagShare bounds the median of the lags by the median response time of each operation:
	// what is more than that is hardly the store's. lagFloorMicros always may be, or a store
	// that takes microseconds could not be measured; half of the sends are less than 0.1 ms late
	// on two virtual cores that carry a whole cluster. There 1 % are 1 to 7 ms late, by the
	// threads' waits for a core, and a response time's p99 is of the same size: it is noted
	// beside it, and no reason.
	MaxLagShare    = 0.1
	LagFloorMicros = 1_000
	// The wait for a free slot is the store's delay, but for what the slots did between two of its
	// answers: making operations, comparing values, taking over the next. maxOwnOfSlots bounds
	// that share of the time of slots for which operations waited, where minWaited of the
	// operations did, as many as a percentile at two digits shows.
	MaxOwnOfSlots = 0.1
	MinWaited     = 0.01
	// MaxCoreShare is the share of its cores that a generator used, waited for, or may have missed, from
	// which on it had none to spare in a second: then nobody can tell whether operations waited for
	// the store or for it. With 16 operations under way and a generator that takes 0.9 of what the
	// store does for each, the store is busy for 98 % of the time, so it is that which is measured.
	MaxCoreShare = 0.9
	// MaxSkew bounds the Kolmogorov–Smirnov distance of a worker's arrivals from their law: a
	// fifth of the gaps are elsewhere, by more than lags of up to 1 ms, than the law says.
	// A busy machine's late wakes come to a tenth at most; another law, bursts or another
	// rate to more than a third. Chance adds to it what it does once in 1/skewChance runs
	// (Massart's inequality), or a short run would be blamed for it.
	MaxSkew    = 0.2
	SkewChance = 1e-6
	// MaxThrottledMicros bounds the time without CPU, by quota, in a second of a worker.
	MaxThrottledMicros = 100_000
	// The latencies of a closed loop have in them what the generator's threads waited for a
	// core while others had it. maxLongWaits bounds the long waits (from bundle.LongWaitMicros on)
	// as a share of the time: who shares a core fairly has hardly any. maxWaitedOfCores bounds all
	// waits, as a share of the time of the cores that its threads can use: a generator that
	// fills two cores together with its store has a half. maxWaitMicros bounds one wait, as
	// maxLagMicros does a lag; of the others, no less than it all together is anything.
	MaxLongWaits     = 0.05
	MaxWaitedOfCores = 1.0
	MaxWaitMicros    = 250_000
	// MaxGCPauseMicros bounds the garbage collector's pauses in a second of a worker.
	MaxGCPauseMicros = 50_000
	// MaxCollecting bounds the garbage collector's share of a worker's cores in a second: a
	// quarter is what Go's collector takes while a cycle lasts, so it had one after the other,
	// and operations had to help it.
	MaxCollecting = 0.25
	// MaxStoppedMicros bounds a time in which a worker's process neither ran nor waited for a
	// core: by itself it makes operations as late as an outage does
	// (from bundle.LateBaseMicros on). One of 200 ms is seen as 180 ms at least; on two cores
	// with a dozen threads that want one, 149 ms were seen once in nine minutes without a stop.
	MaxStoppedMicros = 150_000
	// MaxWriteMicros bounds what a worker's disk may take for the rows of a second: behind a
	// slower one the rows pile up in memory, and the seconds are no longer what they say.
	MaxWriteMicros = 1_000_000
	// MaxLengthMicros bounds what a worker takes for one second of its log: the conditions above are
	// known of each, and in one that is longer the bad seconds hide in the good ones.
	MaxLengthMicros = 2_000_000
	// MaxBadSeconds is the share of a workload's seconds (of each worker) that may be
	// beyond maxThrottledMicros, maxGCPauseMicros or maxWriteMicros; badSecondsFloor of
	// them always may, or a short measurement would fall to one hiccup of the scheduler.
	MaxBadSeconds   = 0.05
	BadSecondsFloor = 2
	// MaxLost is the share of the measurement that a worker may lose in all to its quota, to
	// garbage collection, and to stops, each by itself: a closed loop makes so much less, as
	// little as minAchievedRate allows an open one. lostFloorMicros always may be lost, which
	// is as much in 10 s. Two cores that carry a whole cluster and its load lost 0.1 % to stops
	// (at most 141 ms at a time, in 37 minutes), 0.07 % to garbage collection.
	MaxLost         = 0.01
	LostFloorMicros = 100_000

	// MaxClockBound bounds the clocks' error: one bin.
	MaxClockBound = 10 * time.Millisecond

	// MaxClockStep bounds what the difference of two clocks may change between two of their
	// comparisons, beyond their bounds: a quartz that drifts would take hours for it.
	MaxClockStep = time.Second

	// MaxTopologyGap is the longest silence of the observer around a fault, from
	// topologyLead before the injection until the fault is healed and the service back.
	MaxTopologyGap = time.Second
	TopologyLead   = 2 * time.Second

	// MaxNotWhole is for how long members may not have been well where a measurement begins that
	// follows a fault of another workload. A member under load may let the observer wait for one
	// answer; what is left of a kill, ten seconds and more after it, takes longer.
	MaxNotWhole = time.Second
)
