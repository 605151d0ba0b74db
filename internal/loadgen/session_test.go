package loadgen

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/scripted"
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
