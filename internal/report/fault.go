package report

// FaultSeries is what a fault did to the operations of one kind on one shard, or of some of them together.
type FaultSeries struct {
	// Operation is YCSB's name. It is empty for what is left when each series with enough operations, and each
	// kind's others together, are judged: all operations, where there are none, or some never started.
	Operation string `json:"operation"`
	// Shard is the member that had the keys when the workers connected, or several, joined by commas; empty where
	// the store tells none, or Operation is.
	Shard string `json:"shard"`
	// OutageMicros is the longest time without service, Censored as in Fault, and Outages how many there were.
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

// Fault is one injection and what it did to clients.
type Fault struct {
	Name     string `json:"name"`
	Workload string `json:"workload"`
	Action   string `json:"action"`
	Target   string `json:"target"` // the member that was hit; empty when it came to none
	Role     string `json:"role"`   // what was asked for; empty for a member by index
	// DueAt is when the plan wanted it, RequestedAt when the controller began.
	DueAt       *Moment `json:"dueAt"`
	RequestedAt *Moment `json:"requestedAt"`
	// InjectedAt is a bracket, widened by the clocks' bound; null when it was not injected.
	InjectedAt *Bracket `json:"injectedAt"`
	// Late: it was asked for more than 2 s after it was due.
	Late bool `json:"late"`
	// Effective says that the fault is seen to have worked. EffectiveAt is the first
	// sign of it, EffectiveBy which one: "operation" or "topology".
	Effective   bool    `json:"effective"`
	EffectiveAt *Moment `json:"effectiveAt"`
	EffectiveBy *string `json:"effectiveBy"`
	// HealedAt is when the observer saw all members steady again.
	HealedAt *Moment `json:"healedAt"`
	// P99BeforeMicros is of the successful operations before; OverdueMicros the response
	// time above which an operation counts as without service.
	P99BeforeMicros *int64 `json:"p99BeforeMicros"`
	OverdueMicros   *int64 `json:"overdueMicros"`
	// OutageMicros is how long clients were without service, from DownAt to BackAt: the longest
	// outage of any of Series. It is 0 when there was none, null when the fault was not injected. Censored: a
	// lower bound, as the end of one is not known, or the target wasn't whole again.
	OutageMicros   *int64 `json:"outageMicros"`
	OutageCensored bool   `json:"outageCensored"`
	// OutageErrorMicros is how far the outage may be off because the generator sent late
	// around its begin and its end.
	OutageErrorMicros *int64  `json:"outageErrorMicros"`
	DownAt            *Moment `json:"downAt"`
	BackAt            *Moment `json:"backAt"`
	LimitedByClient   bool    `json:"limitedByClient"`
	// Outages is how many times at least one of Series was away, and DownTotalMicros how long these were, all
	// together. Null when the fault was not injected, as the next two are empty then.
	Outages         *int   `json:"outages"`
	DownTotalMicros *int64 `json:"downTotalMicros"`
	// Series is what the outage was judged by. NotResolved are those that had too few operations to be judged
	// but with others.
	Series      []FaultSeries `json:"series"`
	NotResolved []SeriesName  `json:"notResolved"`
	// AwayBefore: the service was away already when the fault was injected. The outage counts from then
	// on, and it isn't known what of it is this fault's.
	AwayBefore bool `json:"awayBefore"`
	// LongestGapMicros is the longest time without any success.
	LongestGapMicros *int64 `json:"longestGapMicros"`
	LeaderBefore     string `json:"leaderBefore"`
	LeaderAfter      string `json:"leaderAfter"`
	TermBefore       uint64 `json:"termBefore"`
	// TermAfter is the leader's. It is that before only where its members told no later one.
	TermAfter uint64 `json:"termAfter"`
	// RecordsBefore is how many records the target had just before, RecordsLost how many of
	// them at least were gone when it was back. Null where a record is on several members, or
	// the target didn't come back; RecordsLost also where clients delete.
	RecordsBefore *int64 `json:"recordsBefore"`
	RecordsLost   *int64 `json:"recordsLost"`
	Error         string `json:"error"`
}

// Values of Fault.EffectiveBy.
const (
	ByOperation = "operation"
	ByTopology  = "topology"
)
