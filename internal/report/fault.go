package report

// FaultSeries is what a fault did to the operations of one kind on one shard, or to several such series together.
type FaultSeries struct {
	// Operation is YCSB's name. Series with enough operations are judged by themselves, and the others of each kind
	// together. Operation is empty for what is left of several kinds. It is empty for all operations together if no
	// series has enough, or some operations never started.
	Operation string `json:"operation"`
	// Shard is the member that had the keys when the workers connected, or several members, joined by commas. It is
	// empty if the store tells no shards, and if Operation is empty.
	Shard string `json:"shard"`
	// OutageMicros is the longest time without service. Censored is as in Fault. Outages is how many there were.
	OutageMicros int64   `json:"outageMicros"`
	Censored     bool    `json:"censored"`
	Outages      int     `json:"outages"`
	DownMicros   int64   `json:"downMicros"` // of all of them
	DownAt       *Moment `json:"downAt"`     // of the longest; null when there was none
	BackAt       *Moment `json:"backAt"`
}

// SeriesName is a series that had too few operations to be judged by itself.
type SeriesName struct {
	Operation string `json:"operation"`
	Shard     string `json:"shard"`
}

// Fault is one injection and what it did to clients. Faults of a workload that overlap, of which at least one lasts, are
// one episode. Its outage is measured once, from the first injection on. The fault that was injected first has it.
type Fault struct {
	Name     string `json:"name"`
	Workload string `json:"workload"`
	Action   string `json:"action"`
	Target   string `json:"target"` // the member that was hit; empty when it came to none, or to several
	// Targets are the members that were hit, and Peers are those from which they were separated. Reports of earlier
	// versions have Target alone.
	Targets []string `json:"targets,omitempty"`
	Peers   []string `json:"peers,omitempty"`
	Role    string   `json:"role"` // what was asked for; empty for a member by index
	// PartOf is the fault that has this one's outage, and all that is measured of clients, since it was injected first
	// of those that overlap. It is empty for a fault that has its own. Fields that are null if a fault was not injected
	// are null here too.
	PartOf string `json:"partOf,omitempty"`
	// DurationMicros is how long the fault was to last. It is absent if a fault ends with its injection.
	DurationMicros *int64 `json:"durationMicros,omitempty"`
	// DueAt is when the plan wanted it, RequestedAt when the controller began.
	DueAt       *Moment `json:"dueAt"`
	RequestedAt *Moment `json:"requestedAt"`
	// InjectedAt is a bracket, widened by the clocks' bound; null when it was not injected.
	InjectedAt *Bracket `json:"injectedAt"`
	// EndedAt is when a fault that lasts ended: a bracket, widened by the clocks' bound. It is absent if the fault ends
	// with its injection, and if its end was not seen.
	EndedAt *Bracket `json:"endedAt,omitempty"`
	// Late says that it was requested more than 2 s after it was due.
	Late bool `json:"late"`
	// Effective says that the fault was seen to work. EffectiveAt is the first sign of it, and EffectiveBy is
	// who showed it: "operation" or "topology".
	Effective   bool    `json:"effective"`
	EffectiveAt *Moment `json:"effectiveAt"`
	EffectiveBy *string `json:"effectiveBy"`
	// HealedAt is when the observer saw all members steady again. It isn't before the end of the last fault of an episode.
	HealedAt *Moment `json:"healedAt"`
	// RecoveryMicros is how long that took, at most, from the end of the last fault of an episode that lasts. It is no
	// part of the outage. It is absent if no fault lasted, or HealedAt is null.
	RecoveryMicros *int64 `json:"recoveryMicros,omitempty"`
	// P99BeforeMicros is the p99 of the successful operations before the fault. OverdueMicros is the response
	// time above which an operation counts as without service.
	P99BeforeMicros *int64 `json:"p99BeforeMicros"`
	OverdueMicros   *int64 `json:"overdueMicros"`
	// OutageMicros is how long clients were without service, from DownAt to BackAt: the longest
	// outage of any of Series. It is 0 if there was none, and null if the fault was not injected.
	// OutageCensored says that it is a lower bound: the end of an outage isn't known, or the store wasn't whole
	// again.
	OutageMicros   *int64 `json:"outageMicros"`
	OutageCensored bool   `json:"outageCensored"`
	// OutageErrorMicros is how far the outage may be off because the generator sent late
	// around its begin and its end.
	OutageErrorMicros *int64  `json:"outageErrorMicros"`
	DownAt            *Moment `json:"downAt"`
	BackAt            *Moment `json:"backAt"`
	LimitedByClient   bool    `json:"limitedByClient"`
	// Outages is how many times at least one of Series was away, and DownTotalMicros is the sum of these times.
	// Both are null if the fault was not injected; the next two are empty then.
	Outages         *int   `json:"outages"`
	DownTotalMicros *int64 `json:"downTotalMicros"`
	// Series are those that the outage was judged by. NotResolved had too few operations to be judged without
	// others.
	Series      []FaultSeries `json:"series"`
	NotResolved []SeriesName  `json:"notResolved"`
	// AwayBefore says that the service was already away when the fault was injected. The outage counts from the
	// injection on, and nobody knows which part of it this fault caused.
	AwayBefore bool `json:"awayBefore"`
	// LongestGapMicros is the longest time without any success.
	LongestGapMicros *int64 `json:"longestGapMicros"`
	LeaderBefore     string `json:"leaderBefore"`
	LeaderAfter      string `json:"leaderAfter"`
	TermBefore       uint64 `json:"termBefore"`
	// TermAfter is the leader's term. It is TermBefore only if the members told no later one.
	TermAfter uint64 `json:"termAfter"`
	// RecordsBefore is how many records the target had just before the injection. RecordsLost is how many of
	// them, at least, were gone when it was back. Both are null if a record is on several members or
	// the target didn't come back. RecordsLost is null also if clients delete.
	RecordsBefore *int64 `json:"recordsBefore"`
	RecordsLost   *int64 `json:"recordsLost"`
	// Error says why it was not injected, or what went wrong with it. Reason is what that is about, such as
	// bundle.FaultPodReplaced. It is absent if the controller gave none.
	Error  string `json:"error"`
	Reason string `json:"reason,omitempty"`
}

// Hit lists the members that were hit.
func (f *Fault) Hit() []string {
	if len(f.Targets) == 0 && f.Target != "" {
		return []string{f.Target}
	}
	return f.Targets
}

// Lasts says whether the fault went on until it was healed.
func (f *Fault) Lasts() bool { return f.DurationMicros != nil }

// Values of Fault.EffectiveBy.
const (
	ByOperation = "operation"
	ByTopology  = "topology"
)
