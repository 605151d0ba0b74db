package timeline

import (
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/instant"
)

// NeverStarted says whether some of the operations that were intended in [from, until) never started.
func (t *Timeline) NeverStarted(from, until instant.FromStart) bool {
	for at := chunkOf(from.Bin()); at.first().Begin() < until; at++ {
		c, ended := t.chunks[at], t.series[0][at]
		for i := range int64(ChunkBins) {
			var n uint32
			if ended != nil {
				n = uint32(ended.ended[i])
			}
			if c != nil && c.bins[i].Intended > n {
				return true
			}
		}
	}
	return false
}

// Recorded says whether bins of the series are kept.
func (t *Timeline) Recorded(series bundle.Series) bool { return len(t.series[series]) > 0 }

// FirstDone is when the first operation of the series was served that was intended in the bin, in microseconds
// from the bin's begin; 0 where that isn't known.
func (t *Timeline) FirstDone(of []bundle.Series, bin instant.Bin) (micros int64) {
	first := int64(-1)
	for _, series := range of {
		if c := t.series[series][chunkOf(bin)]; c != nil {
			if done := int64(c.firstDone[bin%ChunkBins]); done >= 0 && (first < 0 || done < first) {
				first = done
			}
		}
	}
	return max(first, 0)
}

// Silent says whether nothing at all was intended in [from, to).
func (t *Timeline) Silent(from, to instant.Bin) bool {
	for i := from; i < to; i++ {
		if t.At(i).Intended > 0 {
			return false
		}
	}
	return true
}

// Total adds up what count says of [from, to).
func (t *Timeline) Total(of []bundle.Series, from, to instant.Bin, bucket int) (intended, good int64) {
	each, served := make([]int64, to-from), make([]int64, to-from)
	t.Count(of, from, to, bucket, each, served)
	for i := range each {
		intended += each[i]
		good += served[i]
	}
	return intended, good
}

// Count adds up, bin by bin over [from, to), how many operations of the series were intended and how many of
// them were served: in time, if they ended in the bucket of Bin.OK or one before it. Both slices have a place for
// each bin. Series 0 is all operations, those that never started included.
func (t *Timeline) Count(of []bundle.Series, from, to instant.Bin, bucket int, intended, good []int64) {
	for at := chunkOf(from); at.first() < to; at++ {
		within := func(bin instant.Bin) (place instant.Bin, inside bool) {
			place = at.first() + bin - from
			return place, place >= 0 && place < to-from
		}
		for _, series := range of {
			c := t.series[series][at]
			if c == nil {
				continue
			}
			for bin := range instant.Bin(ChunkBins) {
				if place, inside := within(bin); inside {
					intended[place] += int64(c.ended[bin])
					good[place] += int64(c.soon[bin])
				}
			}
			for _, l := range c.late {
				if place, inside := within(instant.Bin(l.bin)); inside && int(l.bucket) <= bucket {
					good[place] += int64(l.count)
				}
			}
		}
		if of[0] != 0 {
			continue
		}
		if c := t.chunks[at]; c != nil {
			for bin := range instant.Bin(ChunkBins) {
				if place, inside := within(bin); inside {
					intended[place] = int64(c.bins[bin].Intended)
				}
			}
		}
	}
	for i := range good {
		good[i] = min(good[i], intended[i])
	}
}

// lastCompletion is the last completion that is certainly not after the instant; the instant itself if there
// was none. Before the seconds that are kept in detail, the sums by second tell.
func (t *Timeline) lastCompletion(until instant.FromStart) instant.FromStart {
	for i := until.Bin(); t.detail.All.has(chunkOf(i)); i-- {
		s := t.At(i)
		if s.firstComplete < 0 {
			continue
		}
		for _, at := range [...]instant.FromStart{i.Begin().Plus(int64(s.lastComplete)), i.Begin().Plus(int64(s.firstComplete))} {
			if at <= until {
				return at
			}
		}
	}
	for i := len(t.Seconds.Values) - 1; i >= 0; i-- {
		if last := t.Seconds.Values[i].lastComplete - 1; last >= 0 && last <= until {
			return last
		}
	}
	return until
}

// LongestSilence is the longest time in [from, until] without the completion of a success.
func (t *Timeline) LongestSilence(from, until instant.FromStart) (micros int64) {
	previous := t.lastCompletion(from)
	for i := from.Bin(); i.Begin() <= until; i++ {
		s := t.At(i)
		if s.firstComplete < 0 {
			continue
		}
		micros = max(micros, i.Begin().Plus(int64(s.firstComplete)).Since(previous))
		previous = max(previous, i.Begin().Plus(int64(s.lastComplete)))
	}
	return max(micros, until.Since(previous))
}
