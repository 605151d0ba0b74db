package remotewrite

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"unicode/utf8"
)

// Whatever stands in the documents, what comes of them is what Prometheus takes: full seconds in their order, and bounded labels.
func FuzzDocuments(f *testing.F) {
	for _, started := range []string{"2026-01-02T03:04:05.000000Z", "9999-01-02T03:04:05Z", "0001-01-02T03:04:05Z"} {
		for _, first := range []int64{-5, 0, math.MinInt64, math.MaxInt64} {
			for _, step := range []int64{1, 30, math.MaxInt64} {
				seed := drawn(3, step, 1)
				seed.Workloads[0].FirstSecond = first
				of, ofErr := json.Marshal(began(started))
				charts, err := json.Marshal(seed)
				if err := errors.Join(ofErr, err); err != nil {
					f.Fatal(err)
				}
				f.Add(of, charts)
			}
		}
	}
	f.Fuzz(func(t *testing.T, report, charts []byte) {
		var of about
		var from columns
		if json.Unmarshal(report, &of) != nil || json.Unmarshal(charts, &from) != nil {
			return
		}
		all, err := seriesOf(&of, &from)
		if err != nil {
			return
		}
		samples := 0
		for _, s := range all {
			samples += len(s.Samples)
			for i, l := range s.Labels {
				if l.Value == "" || len(l.Value) > maxValue || !utf8.ValidString(l.Value) || i > 0 && s.Labels[i-1].Name >= l.Name {
					t.Errorf("label %d of %q", i, s.Labels)
				}
			}
			for i, one := range s.Samples {
				if one.Millis <= 0 || one.Millis%1000 != 0 || i > 0 && s.Samples[i-1].Millis >= one.Millis {
					t.Errorf("sample %d of %v", i, s.Samples)
				}
			}
		}
		sent := 0
		for next, n := batch(all, 0); n > 0; next, n = batch(all, sent) {
			sent += n
			if len(encode(next)) == 0 || n > batchSamples {
				t.Errorf("a request of %d samples", n)
			}
		}
		if sent != samples {
			t.Errorf("%d samples of %d are in requests", sent, samples)
		}
	})
}
