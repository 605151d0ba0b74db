package outage

import (
	"math"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/timeline"
	"github.com/kvbench/kvbench/internal/stores"
)

// view is operations whose service is judged together: those of one series, or of several series that have too few
// operations by themselves.
type view struct {
	kind   string // YCSB's name of the operation; "" is several kinds
	shard  string // by its members; "" where the store tells no shards, or it is several kinds
	series []bundle.Series
	// perLook is how many were intended in the look before the injection, and affected how many of them weren't served.
	perLook, affected int64
}

// all says whether the view has every operation. It has those that never started too, whose kind is unknown.
func (v *view) all() bool { return v.series[0] == 0 }

// with adds the operations of another view.
func (v *view) with(other view) {
	if v.shard != "" && other.shard != "" {
		v.shard += ", "
	}
	v.shard += other.shard
	v.series = append(v.series, other.series...)
	v.perLook += other.perLook
	v.affected += other.affected
}

// meanGap is the mean time between two operations before an injection, in microseconds; 0 where it isn't known.
func (v *view) meanGap(after instant.FromStart) int64 {
	if v.perLook == 0 {
		return 0
	}
	return int64(min(after, limits.LookMicros)) / v.perLook
}

// inARow is how many operations in a row must be affected for an outage: at least three. If some operations of the view
// are affected all the time, it is so many that chance affects as many in a row once in a hundred minutes.
func (v *view) inARow() int64 {
	const least, looks, chance = 3, 12, 0.01
	if v.affected == 0 {
		return least
	}
	share := min(0.5, float64(v.affected)/float64(v.perLook))
	return max(least, int64(math.Ceil(math.Log(chance/float64(v.perLook*looks))/math.Log(share))))
}

// A series is judged by itself if, in the 5 s before an injection, at least resolvedOperations of it were
// intended: then an outage of half a second is five of them.
const resolvedOperations = 50

// viewsOf gives the views by which the service is judged after an injection: each series that is resolved; of each kind those
// that aren't, if they are together; and the rest, whatever it has. Operations that never started are of no
// known series, so where there are some, all operations are judged as well. thin are the series that aren't
// resolved.
func viewsOf(t *timeline.Timeline, q impact) (judged []view, thin []view) {
	rest := view{}
	for kind := range stores.NumKinds {
		few := view{kind: kind.String()}
		for shard := range uint8(stores.MaxShards + 1) {
			series := bundle.SeriesOf(kind, shard)
			if !t.Recorded(series) {
				continue
			}
			one := view{kind: few.kind, shard: shardName(shard, q.members), series: []bundle.Series{series}}
			if one.lookAt(t, q); one.resolved(q.after) {
				judged = append(judged, one)
			} else {
				thin = append(thin, one)
				few.with(one)
			}
		}
		if few.resolved(q.after) {
			judged = append(judged, few)
		} else {
			rest.with(few)
		}
	}
	rest.shard = ""
	if len(judged) == 0 || t.NeverStarted(q.after, q.end) {
		rest = view{series: []bundle.Series{0}}
		rest.lookAt(t, q)
	}
	if len(rest.series) > 0 {
		judged = append(judged, rest)
	}
	return judged, thin
}

// resolved says whether the view has enough operations to be judged by itself.
func (v *view) resolved(after instant.FromStart) bool {
	return v.perLook >= max(1, resolvedOperations*int64(min(after, limits.LookMicros))/limits.LookMicros)
}

// lookAt counts the operations before the injection.
func (v *view) lookAt(t *timeline.Timeline, q impact) {
	intended, good := t.Total(v.series, max(0, q.after-limits.LookMicros).Bin(), q.after.Bin(), q.bucket)
	v.perLook, v.affected = intended, intended-good
}

// shardName has the members whose keys are in the shard. They are several if there are more members than shards.
func shardName(shard uint8, members []plan.Member) string {
	if shard == 0 {
		return ""
	}
	name := ""
	for i := range members {
		if stores.ShardOf(i) == shard {
			if name != "" {
				name += ", "
			}
			name += members[i].Name
		}
	}
	return name
}
