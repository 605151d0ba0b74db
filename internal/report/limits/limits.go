// Package limits has the numbers by which a run is judged, each with its reason. It has constants alone.
package limits

import "time"

// Limits of validity. They bound the generator's and the observer's own errors, never the store's.
// docs/reference/validity.md has the same table for readers. A test compares the two.
const (
	// MinAchievedRate is the least share of the intended operations that must have been
	// sent within MaxLagMicros, over the seconds outside fault windows in which no operation
	// waited for the store. A percentile at two digits doesn't show the 1 % that may lack.
	MinAchievedRate = 0.99

	// MinScheduledRate is the least share of the plan's rate that must have been
	// intended at all, so that the pacer itself kept up. Poisson arrivals may fall short of it by
	// PoissonSigmas standard deviations more. Chance does that once in 30,000 runs.
	MinScheduledRate = 0.99
	PoissonSigmas    = 4

	// MaxLagP99Micros bounds the p99, over the measurement, of the lag between an
	// operation's intended time and its send, or its wait for a slot. It is a tenth of the 100 ms
	// from which on an operation is overdue. It is not judged second by second: of 100
	// sends in a second, the p99 is the longest of all.
	MaxLagP99Micros = 10_000
	// MaxLagMicros bounds a single lag. A longer pause of the generator could pass for an outage.
	MaxLagMicros = 250_000
	// MaxLagShare bounds the median of the lags, as a share of the median response time of each operation: a
	// larger part of the response time is hardly the store's. LagFloorMicros is always allowed, or a store
	// that takes microseconds could not be measured. On two virtual cores that carry a whole cluster, half of the
	// sends are less than 0.1 ms late, and 1 % are 1 to 7 ms late, since threads wait for a core. A response
	// time's p99 has the same size there, so the lag's p99 is noted beside it, and is no reason.
	MaxLagShare    = 0.1
	LagFloorMicros = 1_000
	// The wait for a free slot is the store's delay, without the time in which slots do the generator's own work
	// between two answers: they make operations, compare values and take over the next. MaxOwnOfSlots bounds
	// this share of the slots' time, if a share of MinWaited of the operations waited for slots. A percentile at
	// two digits shows as many.
	MaxOwnOfSlots = 0.1
	MinWaited     = 0.01
	// MaxCoreShare is the share of its cores that a generator used, waited for, or may have missed, from
	// which on it had none to spare in a second. Then nobody can tell whether operations waited for
	// the store or for the generator. If 16 operations are under way, and the generator takes 0.9 of what the
	// store takes for each, the store is busy for 98 % of the time, so the store is what is measured.
	MaxCoreShare = 0.9
	// MaxSkew bounds the Kolmogorov–Smirnov distance of a worker's arrivals from their law: a
	// fifth of the gaps differ from the law by more than lags of up to 1 ms.
	// On a busy machine, late wake-ups come to a tenth at most. Another law, bursts or another
	// rate come to more than a third. Chance adds to the bound what it does once in 1/SkewChance runs
	// (Massart's inequality), or a short run would be blamed for it.
	MaxSkew    = 0.2
	SkewChance = 1e-6
	// MaxThrottledMicros bounds the time without CPU, by quota, in a second of a worker.
	MaxThrottledMicros = 100_000
	// The latencies of a closed loop contain the time for which the generator's threads waited for a
	// core while others had it. MaxLongWaits bounds the long waits (from bundle.LongWaitMicros on)
	// as a share of the time: a thread that gets its fair share of a core has hardly any. MaxWaitedOfCores bounds all
	// waits, as a share of the time of the cores that the threads can use: a generator that
	// fills two cores together with its store has a half. MaxWaitMicros bounds one wait, as
	// MaxLagMicros bounds a lag. The other two need waits of more than that in all.
	MaxLongWaits     = 0.05
	MaxWaitedOfCores = 1.0
	MaxWaitMicros    = 250_000
	// MaxGCPauseMicros bounds the garbage collector's pauses in a second of a worker.
	MaxGCPauseMicros = 50_000
	// MaxCollecting bounds the garbage collector's share of a worker's cores in a second. Go's collector takes a
	// quarter while a cycle lasts. With a larger share, one cycle followed the other, and operations had to help.
	MaxCollecting = 0.25
	// MaxStoppedMicros bounds a time in which a worker's process neither ran nor waited for a
	// core. By itself such a time makes operations as late as an outage does
	// (from bundle.LateBaseMicros on). A stop of 200 ms is seen as 180 ms at least. On two cores
	// with a dozen threads that want one, 149 ms were seen once in nine minutes without a stop.
	MaxStoppedMicros = 150_000
	// MaxWriteMicros bounds what a worker's disk may take for the rows of a second. Behind a
	// slower disk the rows pile up in memory, and the seconds are no longer what they say.
	MaxWriteMicros = 1_000_000
	// MaxLengthMicros bounds what a worker takes for one second of its log. The conditions above are
	// known by second, and in a longer one the bad seconds hide in the good ones.
	MaxLengthMicros = 2_000_000
	// MaxBadSeconds is the share of a workload's seconds (of each worker) that may be
	// beyond MaxThrottledMicros, MaxGCPauseMicros or MaxWriteMicros. BadSecondsFloor of
	// them are always allowed, or one hiccup of the scheduler would spoil a short measurement.
	MaxBadSeconds   = 0.05
	BadSecondsFloor = 2
	// MaxLost is the share of the measurement that a worker may lose in all to its quota, to
	// garbage collection, and to stops, each by itself. A closed loop makes so many operations less, as
	// few as MinAchievedRate allows an open one. LostFloorMicros may always be lost, which
	// is the same share of 10 s. Two cores that carry a whole cluster and its load lost 0.1 % to stops
	// (at most 141 ms at a time, in 37 minutes) and 0.07 % to garbage collection.
	MaxLost         = 0.01
	LostFloorMicros = 100_000

	// MaxClockBound bounds the clocks' error: one bin.
	MaxClockBound = 10 * time.Millisecond

	// MaxClockStep bounds how much the difference of two clocks may change between two of their
	// comparisons, beyond their bounds. A quartz that drifts would take hours for it.
	MaxClockStep = time.Second

	// MaxTopologyGap is the longest silence of the observer around a fault, from
	// TopologyLead before the injection until the fault is healed and the service is back.
	MaxTopologyGap = time.Second
	TopologyLead   = 2 * time.Second

	// MaxDurationOff bounds by how much longer or shorter than its duration a fault lasted, as a share of that. The
	// figures are read as those of a fault of that length. DurationOffFloor is always allowed: the controller takes some
	// hundred milliseconds to see that a fault is injected and that it is over, whatever its length.
	MaxDurationOff   = 0.1
	DurationOffFloor = time.Second

	// MaxNotWhole is for how long the store may not have been whole before a measurement that
	// follows a fault of another workload. A member under load may answer the observer late once.
	// What is left of a kill, ten seconds and more after it, takes longer.
	MaxNotWhole = time.Second
)
