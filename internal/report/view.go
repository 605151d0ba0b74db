package report

import (
	"math"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// view is the operations whose service is judged together: those of one series, or of several that have too
// few by themselves.
type view struct {
	kind   string // YCSB's name of the operation; "" is several kinds
	shard  string // by its members; "" where the store tells no shards, or it is several kinds
	series []bundle.Series
	// perLook is how many were intended in the look before the injection, and affected how many of them weren't served.
	perLook, affected int64
}

// all has every operation, those that never started as well, whose kind nobody knows.
func (v *view) all() bool { return v.series[0] == 0 }

// with adds another one's operations.
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
func (v *view) meanGap(after int64) int64 {
	if v.perLook == 0 {
		return 0
	}
	return min(after, lookMicros) / v.perLook
}

// inARow is how many operations in a row must be affected for an outage: three, or more where some of the view
// are affected all along, so many that in a minute by chance one run in a hundred minutes has as many.
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
const (
	lookMicros         = backLongMicros
	resolvedOperations = 50
)

// views are what the service is judged by after an injection: each series that is resolved; of each kind those
// that aren't, if they are together; and the rest, whatever it has. Operations that never started are of no
// known series, so where there are some, all operations are judged as well. thin are the series that aren't
// resolved.
func (t *timeline) views(q impact) (judged []view, thin []view) {
	rest := view{}
	for kind := range stores.NumKinds {
		few := view{kind: kind.String()}
		for shard := range uint8(stores.MaxShards + 1) {
			series := bundle.SeriesOf(kind, shard)
			if len(t.series[series]) == 0 {
				continue
			}
			one := view{kind: few.kind, shard: shardName(shard, q.members), series: []bundle.Series{series}}
			if t.lookAt(&one, q); one.resolved(q.after) {
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
	if len(judged) == 0 || t.neverStarted(q) {
		rest = view{series: []bundle.Series{0}}
		t.lookAt(&rest, q)
	}
	if len(rest.series) > 0 {
		judged = append(judged, rest)
	}
	return judged, thin
}

// resolved says whether the view has enough operations to be judged by itself.
func (v *view) resolved(after int64) bool {
	return v.perLook >= max(1, resolvedOperations*min(after, lookMicros)/lookMicros)
}

// lookAt counts what was before the injection.
func (t *timeline) lookAt(v *view, q impact) {
	intended, good := t.total(v, max(0, q.after-lookMicros)/binMicros, q.after/binMicros, q.bucket)
	v.perLook, v.affected = intended, intended-good
}

// neverStarted says whether some operations that were intended after the injection never did.
func (t *timeline) neverStarted(q impact) bool {
	for second := floorDiv(q.after, 1_000_000); second*1_000_000 < q.end; second++ {
		c, ended := t.chunks[second], t.series[0][second]
		for i := range int64(chunkBins) {
			var n uint32
			if ended != nil {
				n = uint32(ended.ended[i])
			}
			if c != nil && c.bins[i].intended > n {
				return true
			}
		}
	}
	return false
}

// shardName is the members whose keys the shard has: more than one where there are more members than shards.
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

// firstDone is when the first operation of the view was served that was intended in the bin, in microseconds
// from the bin's begin; 0 where that isn't known.
func (t *timeline) firstDone(v *view, bin int64) int64 {
	first := int64(-1)
	for _, series := range v.series {
		if c := t.series[series][floorDiv(bin, chunkBins)]; c != nil {
			if done := int64(c.firstDone[bin%chunkBins]); done >= 0 && (first < 0 || done < first) {
				first = done
			}
		}
	}
	return max(first, 0)
}

// total adds up what count says of [from, to).
func (t *timeline) total(v *view, from, to int64, bucket int) (intended, good int64) {
	each, served := make([]int64, to-from), make([]int64, to-from)
	t.count(v, from, to, bucket, each, served)
	for i := range each {
		intended += each[i]
		good += served[i]
	}
	return intended, good
}

// count adds up, bin by bin over [from, to), how many operations of the view were intended and how many of
// them were served. Both slices have a place for each bin.
func (t *timeline) count(v *view, from, to int64, bucket int, intended, good []int64) {
	for second := floorDiv(from, chunkBins); second*chunkBins < to; second++ {
		within := func(bin int64) (place int64, inside bool) {
			place = second*chunkBins + bin - from
			return place, place >= 0 && place < to-from
		}
		for _, series := range v.series {
			c := t.series[series][second]
			if c == nil {
				continue
			}
			for bin := range int64(chunkBins) {
				if place, inside := within(bin); inside {
					intended[place] += int64(c.ended[bin])
					good[place] += int64(c.soon[bin])
				}
			}
			for _, l := range c.late {
				if place, inside := within(int64(l.bin)); inside && int(l.bucket) <= bucket {
					good[place] += int64(l.count)
				}
			}
		}
		if !v.all() {
			continue
		}
		if c := t.chunks[second]; c != nil {
			for bin := range int64(chunkBins) {
				if place, inside := within(bin); inside {
					intended[place] = int64(c.bins[bin].intended)
				}
			}
		}
	}
	for i := range good {
		good[i] = min(good[i], intended[i])
	}
}
