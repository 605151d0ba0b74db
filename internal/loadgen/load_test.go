package loadgen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/scripted"
)

// keeper remembers the keys that were inserted, and fails the first attempts at each.
type keeper struct {
	*scripted.Store
	failures int

	mu    sync.Mutex
	tries map[string]int
	keys  []string
}

type keeperSession struct{ *keeper }

func (k *keeper) NewSession() (stores.Session, error) { return keeperSession{k}, nil }

func (s keeperSession) Do(op *stores.Op) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries[string(op.Key)]++
	if s.tries[string(op.Key)] <= s.failures {
		return &stores.Error{Outcome: stores.Unknown, Code: "Unavailable", Err: errors.New("no leader")}
	}
	s.keys = append(s.keys, string(op.Key))
	return nil
}

func (s keeperSession) Close() error { return nil }

func loadJob(t *testing.T, failures int, workers, index, threads int) (*Job, *results, *keeper) {
	j, server, store := job(t, scripted.Script{}, map[string]string{"insertorder": "ordered", "zeropadding": "4"},
		plan.Load{Workers: workers, Threads: threads})
	keeper := &keeper{Store: store, failures: failures, tries: map[string]int{}}
	j.Store.Open = func(stores.Config) (stores.Driver, error) { return keeper, nil }
	j.Workload.Records = 100
	j.Index = index
	return j, server, keeper
}

func TestWorkersLoadTheirRecordsInAscendingOrder(t *testing.T) {
	t.Parallel()
	var all []string
	for index := range 3 {
		j, server, keeper := loadJob(t, 0, 3, index, 1)
		if err := j.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(keeper.keys) {
			t.Errorf("worker %d loads out of order: %v", index, keeper.keys)
		}
		all = append(all, keeper.keys...)
		s := server.read(t, j.writer(bundle.RoleLoad))
		n := int64(len(keeper.keys))
		if s.finish == nil || s.finish.Inserted != n || s.finish.Succeeded != n || s.rows["INSERT"] != n ||
			s.finish.EndedUnixNanos <= s.finish.StartedUnixNanos {
			t.Errorf("worker %d: finish %+v, rows %v", index, s.finish, s.rows)
		}
		if !server.ended[j.writer(bundle.RoleLoad).File(bundle.Hlog)] {
			t.Error("the log has no end mark")
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) != 100 || all[0] != "user0000" || all[99] != "user0099" {
		t.Errorf("%d of 100 records were loaded", len(all))
	}
}

func TestALoadIsNoFasterThanItsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, _, keeper := loadJob(t, 0, 1, 0, 3)
		j.Workload.Records, j.InsertRate = 21, 10
		begun := time.Now()
		if err := j.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); len(keeper.keys) != 21 || took < 2*time.Second || took > 2100*time.Millisecond {
			t.Errorf("%d inserts in %v", len(keeper.keys), took)
		}
	})
}

func TestAFailedInsertIsMadeAgainAndCounted(t *testing.T) {
	t.Parallel()
	j, server, keeper := loadJob(t, 1, 1, 0, 20)
	j.Workload.Records = 20
	if err := j.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := server.read(t, j.writer(bundle.RoleLoad))
	if len(keeper.keys) != 20 || s.finish.Inserted != 20 || s.finish.Operations != 40 || s.finish.Succeeded != 20 {
		t.Errorf("%d keys, finish %+v", len(keeper.keys), s.finish)
	}
	if s.rows["INSERT-UNKNOWN"] != 20 || s.errors["INSERT unknown Unavailable"] != 20 {
		t.Errorf("rows %v, errors %v", s.rows, s.errors)
	}
}

// batching inserts up to 7 records of 300 bytes together. It refuses some batches.
type batching struct {
	keeperSession
	refuses func(ops []stores.Op) bool
	batches []int
}

func (b *batching) MaxBatch() (records, bytes int) { return 7, 300 }

func (b *batching) InsertAll(ops []stores.Op) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuses(ops) {
		return &stores.Error{Outcome: stores.Failed, Code: "TooMuch", Err: errors.New("not these")}
	}
	b.batches = append(b.batches, len(ops))
	for _, op := range ops {
		b.keys = append(b.keys, string(op.Key)+"="+string(op.Values[0].Value))
	}
	return nil
}

func TestALoadInsertsBatches(t *testing.T) {
	t.Parallel()
	never := func([]stores.Op) bool { return false }
	second := func(ops []stores.Op) bool { return string(ops[0].Key) == "user0007" }
	for title, c := range map[string]struct {
		wanted  int
		length  int // of a value: 14 bytes of key and name go with it
		refuses func([]stores.Op) bool
		batches []int // of 20 records
		batch   int
		retries *Retries
	}{
		"as many as the driver takes":              {100, 10, never, []int{7, 7, 6}, 7, nil},
		"as many as are wanted":                    {3, 10, never, []int{3, 3, 3, 3, 3, 3, 2}, 3, nil},
		"one by one, where they are one":           {1, 10, never, nil, 0, nil},
		"no more bytes than it takes":              {7, 136, never, []int{2, 2, 2, 2, 2, 2, 2, 2, 2}, 7, nil},
		"one by one, where each is too much":       {7, 400, never, nil, 7, nil},
		"one by one, where it fails":               {7, 10, second, []int{7, 6}, 7, nil},
		"those, too, where nothing is tried again": {7, 10, second, []int{7, 6}, 7, &Retries{}},
		"nor left out where others would be":       {7, 10, second, []int{7, 6}, 7, &Retries{KeepGoing: true}},
	} {
		j, server, keeper := loadJob(t, 0, 1, 0, 1)
		properties := map[string]string{"insertorder": "ordered", "zeropadding": "4", "fieldcount": "1", "dataintegrity": "true", "fieldlength": fmt.Sprint(c.length)}
		j.Workload.Properties, j.Workload.Records, j.Workload.LoadBatch = properties, 20, c.wanted
		j.Retries = c.retries
		store := &batching{keeperSession: keeperSession{keeper}, refuses: c.refuses}
		j.Store.Open = func(stores.Config) (stores.Driver, error) { return &batchingDriver{keeper, store}, nil }
		if err := j.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := server.read(t, j.writer(bundle.RoleLoad))
		if !slices.Equal(store.batches, c.batches) || s.finish.Batch != c.batch || s.finish.Inserted != 20 || s.rows["INSERT"] != 20 {
			t.Errorf("%s: batches %v, %+v, rows %v", title, store.batches, s.finish, s.rows)
		}
		if len(keeper.keys) != 20 {
			t.Errorf("%s: %d keys of 20", title, len(keeper.keys))
		}
		for _, key := range keeper.keys {
			// The values are the keys', as dataintegrity makes them: none was written over.
			if name, value, made := strings.Cut(key, "="); made && !strings.HasPrefix(value, (name + ":field0")[:10]) {
				t.Errorf("%s: the record %s", title, key)
			}
		}
	}
}

type batchingDriver struct {
	*keeper
	store *batching
}

func (d *batchingDriver) NewSession() (stores.Session, error) { return d.store, nil }

func TestARecordThatCannotBeLoadedEndsTheLoading(t *testing.T) {
	t.Parallel()
	_, _, keeper := loadJob(t, 1000, 1, 0, 1)
	pauses := 0
	l := &loader{
		stage:   &stage{begin: time.Now(), set: newTestSet(), errors: newErrorCounts(), timeout: time.Second},
		retries: &patient,
		wait:    func(context.Context, time.Duration) bool { pauses++; return true },
	}
	err := l.load(t.Context(), testSession(t, l.stage, keeper), 7)
	if err == nil || !strings.Contains(err.Error(), "user0007") || pauses != 9 {
		t.Errorf("error %v after %d pauses", err, pauses)
	}
}

func TestPausesBeforeRetries(t *testing.T) {
	ycsb := Retries{Pause: 3 * time.Second, Longest: 3 * time.Second, Jitter: 0.2}
	for _, c := range []struct {
		name    string
		retries *Retries
		n       int
		u       float64
		want    time.Duration
	}{
		{"first", &patient, 1, 0.9, 100 * time.Millisecond},
		{"doubled", &patient, 2, 0.1, 200 * time.Millisecond},
		{"doubled again", &patient, 5, 0, 1600 * time.Millisecond},
		{"at most", &patient, 9, 0, 2 * time.Second},
		{"YCSB's shortest", &ycsb, 1, 0, 2400 * time.Millisecond},
		{"YCSB's longest", &ycsb, 7, 1, 3600 * time.Millisecond},
	} {
		if got := c.retries.before(c.n, c.u); got.Round(time.Microsecond) != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestALoadThatKeepsGoingLeavesOutWhatCannotBeInserted(t *testing.T) {
	t.Parallel()
	j, server, keeper := loadJob(t, 0, 1, 0, 1)
	j.Workload.InsertStart, j.Workload.InsertCount = 40, 3
	keeper.tries["user0041"] = -2 // fails twice, and the others never do
	j.Retries = &Retries{Most: 1, KeepGoing: true}
	if err := j.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := server.read(t, j.writer(bundle.RoleLoad))
	if want := []string{"user0040", "user0042"}; !slices.Equal(keeper.keys, want) || s.finish.Inserted != 2 || s.rows["INSERT-UNKNOWN"] != 2 {
		t.Errorf("inserted %v, want %v; %+v and %v", keeper.keys, want, s.finish, s.rows)
	}
}
