package remotewrite

import (
	"math"

	"github.com/klauspost/compress/snappy"
	"google.golang.org/protobuf/encoding/protowire"
)

// batchSamples bounds a request: one takes some 100 kB before it is packed.
const batchSamples = 5000

// batch is what the next request has: the samples after so many, and how many these are.
func batch(all []series, after int) (next []series, samples int) {
	for _, s := range all {
		if after >= len(s.Samples) {
			after -= len(s.Samples)
			continue
		}
		part := s.Samples[after:]
		after = 0
		part = part[:min(len(part), batchSamples-samples)]
		next, samples = append(next, series{s.Labels, part}), samples+len(part)
		if samples == batchSamples {
			break
		}
	}
	return next, samples
}

// Numbers of fields of prometheus.WriteRequest and of the messages in it, of remote write 1.0. The library for them
// (prometheus/prompb) would bring a generator of code that nobody maintains any more, for six fields.
const (
	requestSeries = 1
	seriesLabels  = 1
	seriesSamples = 2
	labelName     = 1
	labelValue    = 2
	sampleValue   = 1
	sampleMillis  = 2
)

// encode is the body of a request.
func encode(all []series) []byte {
	var request []byte
	for _, s := range all {
		var message []byte
		for _, l := range s.Labels {
			var pair []byte
			pair = protowire.AppendString(protowire.AppendTag(pair, labelName, protowire.BytesType), l.Name)
			pair = protowire.AppendString(protowire.AppendTag(pair, labelValue, protowire.BytesType), l.Value)
			message = protowire.AppendBytes(protowire.AppendTag(message, seriesLabels, protowire.BytesType), pair)
		}
		for _, one := range s.Samples {
			var pair []byte
			pair = protowire.AppendFixed64(protowire.AppendTag(pair, sampleValue, protowire.Fixed64Type), math.Float64bits(one.Value))
			pair = protowire.AppendVarint(protowire.AppendTag(pair, sampleMillis, protowire.VarintType), uint64(one.Millis))
			message = protowire.AppendBytes(protowire.AppendTag(message, seriesSamples, protowire.BytesType), pair)
		}
		request = protowire.AppendBytes(protowire.AppendTag(request, requestSeries, protowire.BytesType), message)
	}
	return snappy.Encode(nil, request)
}
