package outage

import (
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
)

// Parameters of the outage's definition; docs/design/0002-outage.md gives the reasons.
const (
	// overdueFactor × p99 before the fault, but at least bundle.LateBaseMicros, is the
	// response time above which an operation counts as without service.
	overdueFactor = 10
	// The service is back when at least backNumerator of backDenominator operations that were intended in each
	// of these two times were served.
	backNumerator, backDenominator = 9, 10
	backSoonMicros                 = 100_000
	backLongMicros                 = limits.LookMicros
	// An outage is longer than so many of the view's mean gaps between operations.
	meanGapsOfNoise = 3
)

// impact is where and how to look for what an injection did to a workload's clients.
type impact struct {
	after, before instant.FromStart // the injection's bracket
	ended         instant.FromStart // of the last fault of the episode, at the latest; before if all end with their injection
	until         instant.FromStart // operations intended from here on are not this fault's
	// follow is until when outages have the fault for their cause: its target is whole again, and has been
	// for a while. unfinished says that the target wasn't whole at until.
	follow     instant.FromStart
	unfinished bool
	end        instant.FromStart // of what can serve to prove that the service is back
	bucket     int               // the last one of Bin.OK that is in time
	closed     bool
	members    []plan.Member // which shards are called by
}

// interval is a time in which operations of a view were without service.
type interval struct {
	start, end instant.FromStart // intended time of the first operation that was affected; completion of the first served
	censored   bool              // the end is not proven: a lower bound
}

func (i interval) length() (micros int64) { return i.end.Since(i.start) }

// overdueBucket is the last bucket of Bin.OK that counts as in time: the first whose bound
// reaches the threshold.
func overdueBucket(p99Micros int64) int {
	return bundle.LateBucketOf(max(overdueFactor*p99Micros, bundle.LateBaseMicros))
}
