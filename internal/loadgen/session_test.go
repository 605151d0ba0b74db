package loadgen

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/scripted"
	"github.com/kvbench/kvbench/internal/workload"
)

// answering ends every operation with one error.
type answering struct{ err error }

func (a answering) Do(*stores.Op) error { return a.err }
func (answering) Close() error          { return nil }

func TestAFailureIsAnsweredOnlyIfTheDriverSaysSo(t *testing.T) {
	plain := errors.New("no such record")
	for _, c := range []struct {
		name     string
		err      error
		answered int64
		failed   int64
	}{
		{"success", nil, 0, 0},
		{"the store answered", &stores.Error{Outcome: stores.Failed, Code: "NOT_FOUND", Err: plain, Answered: true}, 1, 1},
		{"wrapped", fmt.Errorf("read: %w", &stores.Error{Outcome: stores.Failed, Code: "NOT_FOUND", Err: plain, Answered: true}), 1, 1},
		{"nobody answered", &stores.Error{Outcome: stores.Failed, Code: "Unavailable", Err: plain}, 0, 1},
		{"an error of another kind", plain, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, _, _ := job(t, scripted.Script{}, preset(t, "C"), plan.Load{Threads: 1})
			keyspace, err := j.keyspace()
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			stage := &stage{begin: begin, set: record.NewSet(1, begin.UnixNano(), false), errors: newErrorCounts(), timeout: time.Second}
			s := &session{stage: stage, thread: keyspace.NewThread(0), store: answering{c.err}}
			s.closed(s.now())
			sum := bundle.NewBin(0)
			for _, b := range stage.set.Collect().Bins {
				sum.Add(&b)
			}
			if sum.Intended != 1 || sum.Answered != c.answered || sum.Failed != c.failed {
				t.Errorf("bin %+v", sum)
			}
		})
	}
}

// knowing is a store that has every record. It tells what it took itself.
type knowing struct {
	stores.Session
	kept map[string][]byte
	took time.Duration
}

func (k *knowing) Do(op *stores.Op) error {
	began := time.Now()
	if op.Kind == stores.Read {
		key := string(op.Key)
		if k.kept[key] == nil {
			k.kept[key] = workload.AppendDeterministic(nil, op.Key, "field0", longValue)
		}
		op.Result = append(op.Result[:0], stores.Field{Name: "field0", Value: k.kept[key]})
	}
	k.took += time.Since(began)
	return nil
}

const longValue = 300_000 // bytes, which take milliseconds to be made or compared

func TestALatencyIsWithoutTheGeneratorsOwnWork(t *testing.T) {
	for _, operation := range []string{"update", "read", "readmodifywrite"} {
		t.Run(operation, func(t *testing.T) {
			j, _, _ := job(t, scripted.Script{}, map[string]string{
				"dataintegrity": "true", "fieldcount": "1", "fieldlength": strconv.Itoa(longValue),
				"readproportion": "0", "updateproportion": "0", operation + "proportion": "1",
			}, plan.Load{Threads: 1})
			j.Workload.Records, j.Workload.InsertBase = 5, 5
			keyspace, err := j.keyspace()
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			stage := &stage{begin: begin, set: record.NewSet(1, begin.UnixNano(), false), errors: newErrorCounts(), timeout: time.Minute}
			store := &knowing{kept: map[string][]byte{}}
			s := &session{stage: stage, thread: keyspace.NewThread(0), store: store}
			for now, n := s.now(), 0; n < 20; n++ {
				now = s.closed(now)
			}
			elapsed := s.now()
			in := stage.set.Collect()
			in.Each(func(of record.Row, h *record.Histogram) {
				var sum time.Duration
				h.Each(func(_, high, count int64) { sum += time.Duration(high*count) * time.Microsecond })
				if of.Outcome != stores.OK || sum > store.took+(elapsed-store.took)/4 {
					t.Errorf("%d %s %s took %v together, the store %v, all %v", h.Total(), of.Kind, of.Outcome, sum, store.took, elapsed)
				}
			})
			if in.Succeeded != 20 || elapsed < 4*store.took/3 {
				t.Errorf("%d succeeded, in %v of %v: this tests nothing", in.Succeeded, store.took, elapsed)
			}
		})
	}
}

// One slot, whose values take milliseconds to be made, on a store that does nothing: for which
// of the two the next operation waits is known.
func TestTheWorkBetweenTwoOperationsOfASlotIsTheGenerators(t *testing.T) {
	j, _, _ := job(t, scripted.Script{}, map[string]string{
		"dataintegrity": "true", "fieldcount": "1", "fieldlength": strconv.Itoa(longValue), "readproportion": "0", "updateproportion": "1",
	}, plan.Load{Rate: 1000})
	keyspace, err := j.keyspace()
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	stage := &stage{begin: begin, set: record.NewSet(1, begin.UnixNano(), true), errors: newErrorCounts(), timeout: time.Minute}
	s := &session{stage: stage, thread: keyspace.NewThread(0), store: &knowing{}}
	s.open(due{})
	first := s.now()
	for range 10 {
		s.open(due{limited: true})
	}
	elapsed := s.now() - first
	in := stage.set.Collect()
	if in.Slots < elapsed/2 || in.Own < in.Slots*9/10 || in.Own > in.Slots {
		t.Errorf("the slot was busy for %v, %v by the generator; all took %v", in.Slots, in.Own, elapsed)
	}
}
