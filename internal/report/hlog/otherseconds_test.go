package hlog

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/stores"
)

// What a worker's log says of a second is what was intended in it, to the last operation, however late
// operations end and rows are written.
func TestALogHasWhatWasIntendedInEachSecond(t *testing.T) {
	const start = 1_800_000_000_700_000_000 // within a second
	rng := rand.New(rand.NewPCG(7, 7))
	var all []record.Sample
	for range 3000 {
		at := time.Duration(rng.Int64N(int64(6 * time.Second)))
		sent := at + time.Duration(rng.Int64N(int64(time.Second)))*time.Duration(rng.Int64N(2))
		all = append(all, record.Sample{
			Kind: []stores.Kind{stores.Read, stores.Update}[rng.IntN(2)], Outcome: stores.Outcome(rng.IntN(int(stores.NumOutcomes))),
			Intended: at, Sent: sent, Done: sent + time.Duration(rng.ExpFloat64()*float64(400*time.Millisecond)),
		})
	}
	slices.SortFunc(all, func(a, b record.Sample) int { return cmp.Compare(a.Done, b.Done) })
	set := record.NewSet(3, start, true)
	var text bytes.Buffer
	log, err := record.NewLog(&text, nil, start)
	if err != nil {
		t.Fatal(err)
	}
	collect := func(until int64) {
		if err := log.Write(set.Collect(), until); err != nil {
			t.Fatal(err)
		}
	}
	key := func(unix int64, r Row) string {
		return fmt.Sprintf("%d %s %s %d %t", unix, r.Operation, r.Outcome, r.Time, r.Lag)
	}
	next, want := int64(start/instant.NanosPerSecond+1)*instant.NanosPerSecond, map[string]int64{}
	for i, s := range all {
		if done := start + int64(s.Done); done > next {
			// A worker that is held up writes no row for seconds.
			next = (done/instant.NanosPerSecond + rng.Int64N(3)) * instant.NanosPerSecond
			collect(next)
		}
		set.Recorder(i).Send(s.Intended, s.Sent)
		set.Recorder(i).Finish(&s)
		unix := (start + int64(s.Intended)) / instant.NanosPerSecond
		want[key(unix, Row{Lag: true})]++
		for _, which := range []timeOf{ServiceTime, ResponseTime, WaitTime} {
			want[key(unix, Row{Operation: s.Kind.String(), Outcome: s.Outcome.String(), Time: which})]++
		}
	}
	collect(next + instant.NanosPerSecond/3)
	got := map[string]int64{}
	if err := Read(&text, func(row Row, h *hdr.PackedHistogram) error {
		if h.TotalCount() > 0 {
			got[key(int64(row.At)/instant.NanosPerSecond, row)] += h.TotalCount()
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, of := range slices.Sorted(maps.Keys(want)) {
		if got[of] != want[of] {
			t.Errorf("%s: the log has %d, and %d were intended", of, got[of], want[of])
		}
	}
	if len(got) != len(want) {
		t.Errorf("the log has %d histograms, want %d", len(got), len(want))
	}
}
