package status

// Reasons of Accepted, or of its refusal.
const (
	ReasonQueued    = "Queued" // of Accepted
	ReasonNameTaken = "NameTaken"
)

// ReasonClockStepped is the report's word for the same thing.
const ReasonClockStepped = "ClockStepped"

// ReasonClockUnknown is of Measured, while an injection can't be given its time, and of a run
// that failed for it.
const ReasonClockUnknown = "ClockUnknown"

// TearingMessage is what the condition says of a teardown, and begins with where one fails.
const TearingMessage = "removing what the run created"

// ReasonFaultNotInjected is why a run fails whose fault did not happen, or not in time.
const ReasonFaultNotInjected = "FaultNotInjected"

// Reasons of a workload's StoreWhole.
const (
	ReasonRecovering = "Recovering"
	ReasonWhole      = "Whole"
	ReasonNotWhole   = "NotWhole"
)

// Reasons of StoreReady while endpoints are waited for.
const (
	ReasonReaching  = "Reaching"
	ReasonNotSteady = "NotSteady"

	ReachingMessage = "waiting until the observer sees the members at spec.store.endpoints"
)

// ReasonClearing is of StoreReady.
const (
	ReasonClearing  = "Clearing" // of StoreReady
	ClearingMessage = "an interrupted installation is being removed, before the store is installed anew"
)

// ConditionFailing says that the run will fail, and why; Failed follows when everything
// is torn down (as FailureTarget and Failed do for a Job).
const ConditionFailing = "FailureTarget"

// Reasons of CleanedUp.
const (
	ReasonAllGone        = "AllGone"
	ReasonNothingCreated = "NothingCreated"
	ReasonTearingDown    = "TearingDown"
	ReasonRetained       = "Retained"
	ReasonTimedOut       = "TimedOut"
)

// ReasonNotHealed is of FaultsHealed: the objects of faults could not be removed in time.
const ReasonNotHealed = "NotHealed"

// ReasonFaultNotHealed is why a run fails: a fault that lasts would go on in the next workload.
const ReasonFaultNotHealed = "FaultNotHealed"

// Reasons of steps that are under way.
const (
	ReasonPlanned   = "Planned"   // of Accepted
	ReasonArming    = "Arming"    // of Armed
	ReasonResetting = "Resetting" // of Loaded
	ReasonLoading   = "Loading"   // of Loaded
)

// AllGoneMessage is of CleanedUp.
const AllGoneMessage = "nothing that the run created is left"

// Reasons for a step that was tried and is tried again.
const (
	ReasonInstallFailed = "InstallFailed"  // of StoreReady
	ReasonJobNotCreated = "JobNotCreated"  // of Loaded or Armed
	ReasonAdmitting     = "Admitting"      // of Accepted
	ReasonNotPosted     = "StartNotPosted" // of Measured
	ReasonNotStored     = "NotStored"      // of Reported
	ReasonMerging       = "Merging"        // of Reported
	// ReasonDiskFull is of each that needs the results server.
	ReasonDiskFull = "ResultsDiskFull"
)
