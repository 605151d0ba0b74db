package record

import (
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// ofSecond is what an interval has of one tag that was intended in one second.
type ofSecond struct {
	unix      int64
	histogram *Histogram
}

// prefixes of tags, by which time of an operation a histogram has.
var prefixes = [times]string{
	service: "", response: bundle.IntendedPrefix,
	partService: bundle.PartPrefix, partResponse: bundle.IntendedPrefix + bundle.PartPrefix,
	wait: bundle.WaitPrefix,
}

var suffixes = [stores.NumOutcomes]string{stores.Failed: bundle.FailedSuffix, stores.Unknown: bundle.UnknownSuffix}

// tags are those of an interval log but for the lag's.
var tags = func() (tags [stores.NumKinds][stores.NumOutcomes][times]string) {
	for kind := range stores.NumKinds {
		for outcome := range stores.NumOutcomes {
			for which, prefix := range prefixes {
				tags[kind][outcome][which] = prefix + kind.String() + suffixes[outcome]
			}
		}
	}
	return tags
}()

// eachTag calls f for every tag of which the interval has anything, with its seconds in the order
// of time. They are f's until it returns.
func (in *Interval) eachTag(f func(tag string, seconds []ofSecond)) {
	var seconds []ofSecond
	of := func(tag string, histogram func(*second) *Histogram) {
		seconds = seconds[:0]
		for _, s := range in.seconds {
			if h := histogram(s); h != nil && h.total > 0 {
				seconds = append(seconds, ofSecond{s.unix, h})
			}
		}
		if len(seconds) > 0 {
			f(tag, seconds)
		}
	}
	for kind := range tags {
		for outcome := range tags[kind] {
			for which, tag := range tags[kind][outcome] {
				of(tag, func(s *second) *Histogram { return s.hists[kind][outcome][which] })
			}
		}
	}
	of(bundle.LagTag, func(s *second) *Histogram { return s.lag })
}
