package loadgen

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/scripted"
	"github.com/kvbench/kvbench/internal/workload"
)

// cache remembers which keys were set, and what was asked of it.
type cache struct {
	has   map[string]bool
	asked []string
	err   error // of inserts
	down  error // of reads
}

func (c *cache) Do(op *stores.Op) error {
	key := string(op.Key)
	c.asked = append(c.asked, fmt.Sprintf("%v %s %d", op.Kind, key, len(op.Values)))
	switch {
	case op.Kind == stores.Insert:
		c.has[key] = c.err == nil
		return c.err
	case c.down != nil:
		return c.down
	case !c.has[key]:
		return &stores.Error{Outcome: stores.Failed, Code: stores.CodeNotFound, Err: errors.New("miss"), Answered: true}
	}
	return nil
}

func (*cache) Close() error { return nil }

// A miss is set at once: the read stays a failure, and the insert is beside it, no
// operation of the load.
func TestACacheAsideSetsWhatAReadMissed(t *testing.T) {
	refused := &stores.Error{Outcome: stores.Failed, Code: "Unavailable", Err: errors.New("full")}
	for _, c := range []struct {
		name       string
		properties map[string]string
		err, down  error
		asked      []string
		failed     int64
		failures   string
	}{
		{"a miss, then a hit", map[string]string{"cacheaside": "true"}, nil, nil,
			[]string{"READ user0 0", "INSERT user0 10", "READ user0 0"}, 1, "[READ NOT_FOUND 1]"},
		{"a set that fails", map[string]string{"cacheaside": "true"}, refused, nil,
			[]string{"READ user0 0", "INSERT user0 10", "READ user0 0", "INSERT user0 10"}, 2,
			"[INSERT Unavailable 2 READ NOT_FOUND 2]"},
		{"a read that failed otherwise", map[string]string{"cacheaside": "true"}, nil, refused,
			[]string{"READ user0 0", "READ user0 0"}, 2, "[READ Unavailable 2]"},
		{"without it", nil, nil, nil, []string{"READ user0 0", "READ user0 0"}, 2, "[READ NOT_FOUND 2]"},
		{"no read", map[string]string{"cacheaside": "true", "readproportion": "0", "readmodifywriteproportion": "1"}, nil, nil,
			[]string{"READ user0 0", "UPDATE user0 1", "READ user0 0", "UPDATE user0 1"}, 2, "[READ NOT_FOUND 2 UPDATE NOT_FOUND 2]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			properties := map[string]string{"insertorder": "ordered", "updateproportion": "0"}
			for name, value := range c.properties {
				properties[name] = value
			}
			spec, err := workload.Parse(properties, workload.FromRun(nil))
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			stage := &stage{begin: begin, set: record.NewSet(1, begin.UnixNano(), false), errors: newErrorCounts(), timeout: time.Second}
			store := &cache{has: map[string]bool{}, err: c.err, down: c.down}
			s := &session{stage: stage, store: store,
				thread: workload.NewKeyspace(spec, workload.Share{Records: 1, InsertBase: 1, Workers: 1}).NewThread(0)}
			for range 2 {
				if before, done := s.now(), s.closed(s.now()); done < before || done > s.now() {
					t.Errorf("ended at %v", done)
				}
			}
			if fmt.Sprint(store.asked) != fmt.Sprint(c.asked) {
				t.Errorf("asked for %q, want %q", store.asked, c.asked)
			}
			sum := bundle.NewBin(0)
			for _, b := range stage.set.Collect().Bins {
				sum.Add(&b)
			}
			if sum.Intended != 2 || sum.Failed != c.failed {
				t.Errorf("bin %+v", sum)
			}
			var failures []string
			for _, e := range stage.errors.take() {
				failures = append(failures, fmt.Sprint(e.Operation, " ", e.Code, " ", e.Count))
			}
			if fmt.Sprint(failures) != c.failures {
				t.Errorf("failures %v, want %s", failures, c.failures)
			}
		})
	}
}

func TestTheDriverKnowsTheTimeToLive(t *testing.T) {
	t.Parallel()
	for name, work := range map[string]func(*Job, context.Context) error{"load": (*Job).Load, "measure": (*Job).Measure} {
		j, _, _ := job(t, scripted.Script{}, map[string]string{"cacheaside": "true", "cacheaside.ttl": "1.5"}, plan.Load{Threads: 1})
		j.Workload.Records, j.Workload.Operations = 10, 10
		var ttl time.Duration
		open := j.Store.Open
		j.Store.Open = func(c stores.Config) (stores.Driver, error) {
			ttl = c.TTL
			return open(c)
		}
		if err := work(j, t.Context()); err != nil {
			t.Fatal(err)
		}
		if ttl != 1500*time.Millisecond {
			t.Errorf("%s: the driver is opened with %v", name, ttl)
		}
	}
}
