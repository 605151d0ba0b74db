package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/need"
)

func TestWhichRunsExpire(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	day := 24 * time.Hour
	at := func(uid string, ago time.Duration, bytes int64, reported bool) usage {
		return usage{uid: uid, bytes: bytes, touched: now.Add(-ago), reported: reported}
	}
	for _, c := range []struct {
		what  string
		runs  []usage
		age   time.Duration
		limit int64
		want  []string
	}{
		{what: "none when all is young and small", age: 30 * day, limit: 100,
			runs: []usage{at("a", day, 50, true), at("b", 0, 50, false)}},
		{what: "by age, with or without a report", age: 30 * day, limit: 100,
			runs: []usage{at("a", 31*day, 1, true), at("b", 31*day, 1, false), at("c", 29*day, 1, true)}, want: []string{"a", "b"}},
		{what: "by size, the oldest first and no more than needed", limit: 100,
			runs: []usage{at("new", time.Hour, 60, true), at("oldest", 3*day, 60, true), at("old", 2*day, 30, true)}, want: []string{"oldest"}},
		{what: "never for its size while it may be under way", limit: 100,
			runs: []usage{at("running", time.Minute, 500, false), at("done", time.Second, 10, true)}, want: []string{"done"}},
		{what: "for its size when it was left without a report", limit: 100,
			runs: []usage{at("left", 2*day, 500, false)}, want: []string{"left"}},
		{what: "never for its size when it was registered a moment ago", limit: 100,
			runs: []usage{{uid: "new", bytes: 500, touched: now.Add(-time.Minute), waiting: true}, at("done", time.Second, 10, true)}, want: []string{"done"}},
		{what: "one that nobody begins before all that were measured", limit: 100,
			runs: []usage{at("done", 3*day, 50, true), {uid: "waiting", bytes: 60, touched: now.Add(-2 * day), waiting: true}}, want: []string{"waiting"}},
		{what: "no bounds", runs: []usage{at("a", 9999*day, 1<<50, true)}},
	} {
		got := expired(c.runs, now, c.age, c.limit)
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

func TestWhichRunsMakeRoom(t *testing.T) {
	now := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	ago := func(uid string, ago time.Duration, change func(*usage)) usage {
		u := usage{uid: uid, touched: now.Add(-ago), bytes: 100}
		if change != nil {
			change(&u)
		}
		return u
	}
	reported := func(u *usage) { u.reported = true }
	waiting := func(u *usage) { u.waiting = true }
	reports := []usage{ago("new", time.Hour, reported), ago("old", 2*time.Hour, reported), ago("running", 3*time.Hour, nil)}
	for _, c := range []struct {
		what    string
		runs    []usage
		most    int
		lacking int64
		want    []string
		enough  bool
	}{
		{"none where there is room", reports, 4, 0, nil, true},
		{"none when all are under way", []usage{ago("a", time.Hour, nil), ago("b", 24*time.Hour, waiting)}, 2, 0, nil, false},
		{"the oldest report", reports, 3, 0, []string{"old"}, true},
		{"one that was left", []usage{ago("left", 2*day, nil), ago("new", time.Hour, reported)}, 2, 0, []string{"left"}, true},
		{"one that nobody begins, before older reports", []usage{ago("old", 3*day, reported), ago("deleted", 2*day, waiting)}, 2, 0, []string{"deleted"}, true},
		{"one for its bytes", reports, 9, 100, []string{"old"}, true},
		{"as many as are needed", reports, 9, 101, []string{"old", "new"}, true},
		{"and that isn't enough", reports, 9, 201, []string{"old", "new"}, false},
	} {
		got, enough := makeWay(c.runs, now, c.most, c.lacking)
		if !slices.Equal(got, c.want) || enough != c.enough {
			t.Errorf("%s: %q, enough %v, want %q, %v", c.what, got, enough, c.want, c.enough)
		}
	}
}

func TestAForgottenRunIsGoneAndItsWaitersHearIt(t *testing.T) {
	clock := &hands{now: time.Now()}
	h := registered(t, func(c *Config) { c.Now, c.KeepAge = clock.Now, time.Hour })
	must(t, h.as("controller").Register(t.Context(), otherUID, planOf(otherUID)))
	waiter := make(chan error)
	go func() {
		_, err := h.as("reader").AwaitStart(t.Context(), runUID, "a")
		waiter <- err
	}()
	clock.add(2 * time.Hour)
	_, err := h.as("controller").Append(t.Context(), otherUID, fileA0, 0, []byte("alive"))
	must(t, err)
	h.server.sweep()
	expect(t, "the waiter", <-waiter, client.ErrNotFound)
	_, err = h.as("reader").State(t.Context(), runUID)
	expect(t, "the old run", err, client.ErrNotFound)
	_, err = h.as("reader").State(t.Context(), otherUID)
	expect(t, "the run that is used", err, nil)
	for _, folder := range []string{runsFolder, deletedFolder} {
		if _, err := os.Stat(filepath.Join(h.config.Data, folder, runUID)); !os.IsNotExist(err) {
			t.Errorf("%s still has it: %v", folder, err)
		}
	}
	h.restart()
	_, err = h.as("reader").State(t.Context(), otherUID)
	expect(t, "the run that is used, after a restart", err, nil)
}

func TestARunThatIsRegisteredAgainKeepsItsPlace(t *testing.T) {
	clock := &hands{now: time.Now()}
	h := registered(t, func(c *Config) { c.Now, c.Limits.Runs = clock.Now, 1 })
	clock.add(2 * keepWaiting)
	must(t, h.as("controller").Register(t.Context(), runUID, planOf(runUID)))
	expect(t, "another one", h.as("controller").Register(t.Context(), otherUID, planOf(otherUID)), client.ErrFull)
	h.restart()
	expect(t, "another one, after a restart", h.as("controller").Register(t.Context(), otherUID, planOf(otherUID)), client.ErrFull)
	clock.add(2 * keepWaiting)
	must(t, h.as("controller").Register(t.Context(), otherUID, planOf(otherUID)))
	_, err := h.as("reader").State(t.Context(), runUID)
	expect(t, "the one that nobody began", err, client.ErrNotFound)
}

func TestARunIsNotForgottenForWhatItWasBefore(t *testing.T) {
	clock := &hands{now: time.Now()}
	h := registered(t, func(c *Config) { c.Now = clock.Now })
	registry := h.server.registry
	held, _ := registry.find(runUID)
	judged := held.usage()
	clock.add(time.Minute)
	must(t, h.as("controller").Register(t.Context(), runUID, planOf(runUID)))
	if gone, err := registry.forget(runUID, judged.still); gone || err != nil {
		t.Errorf("its turn had come: %v, %v", gone, err)
	}
	if gone, err := registry.forget(runUID, held.usage().still); !gone || err != nil {
		t.Errorf("as it is: %v, %v", gone, err)
	}
}

func TestRunsThatOnlyWaitPushNoReportOut(t *testing.T) {
	h := registered(t, func(c *Config) { c.Limits.Runs, c.KeepBytes = 1, 1<<20 })
	controller := h.as("controller")
	_, err := controller.MakeReport(t.Context(), runUID)
	must(t, err)
	for i := range 1000 {
		uid := fmt.Sprintf("33333333-3333-4333-8333-%012d", i)
		must(t, controller.Check(t.Context(), uid, planOf(uid)))
	}
	_, err = controller.GetReport(t.Context(), runUID)
	expect(t, "the report", err, nil)
	must(t, controller.Register(t.Context(), otherUID, planOf(otherUID)))
	_, err = controller.GetReport(t.Context(), runUID)
	expect(t, "the report, when another run has its turn", err, client.ErrNotFound)
	expect(t, "a plan that is none", controller.Check(t.Context(), otherUID, []byte("{}")), statusError(400))
}

func TestNoRunMakesRoomWhereThereIsRoom(t *testing.T) {
	h := registered(t, func(c *Config) { c.Limits.Runs = 2 })
	must(t, h.server.registry.makeRoom(need.Need{}))
	_, err := h.as("reader").State(t.Context(), runUID)
	expect(t, "the one that is kept", err, nil)
}

func TestARunThatIsGoneIsNotForgottenAgain(t *testing.T) {
	h := registered(t)
	held, _ := h.server.registry.find(runUID)
	held.mu.Lock()
	held.gone = true // by another one, which has not come to the list yet
	held.mu.Unlock()
	if gone, err := h.server.registry.forget(runUID, func(usage) bool { return true }); gone || err != nil {
		t.Errorf("%v, %v", gone, err)
	}
}

func TestARunIsWithdrawnUnlessItWasBegun(t *testing.T) {
	h := registered(t)
	controller := h.as("controller")
	must(t, controller.Register(t.Context(), otherUID, planOf(otherUID)))
	_, err := controller.StartIn(t.Context(), otherUID, "a", time.Minute)
	must(t, err)
	for _, uid := range []string{runUID, otherUID, runUID} {
		must(t, controller.Withdraw(t.Context(), uid))
	}
	_, err = h.as("reader").State(t.Context(), runUID)
	expect(t, "the one that waited", err, client.ErrNotFound)
	_, err = h.as("reader").State(t.Context(), otherUID)
	expect(t, "the one that was begun", err, nil)
	expect(t, "who only reads", h.as("reader").Withdraw(t.Context(), otherUID), client.ErrForbidden)
}

func TestNewRunsAreRefusedWhenThereIsNoRoom(t *testing.T) {
	free := uint64(1 << 40)
	h := registered(t, func(c *Config) {
		c.Limits.Runs = 2
		c.KeepBytes = 1
		c.Free = func() (uint64, error) { return free, nil }
	})
	controller := h.as("controller")
	third := "33333333-3333-4333-8333-333333333333"
	free = h.config.Limits.ReserveBytes - 1
	expect(t, "a full volume", controller.Register(t.Context(), otherUID, planOf(otherUID)), client.ErrFull)
	expect(t, "a known run on a full volume", controller.Register(t.Context(), runUID, planOf(runUID)), nil)
	_, err := h.as("worker").Append(t.Context(), runUID, fileA0, 0, []byte("x"))
	expect(t, "an append of a known run", err, nil)
	free = 1 << 40
	expect(t, "with room again", controller.Register(t.Context(), otherUID, planOf(otherUID)), nil)
	expect(t, "above the number of runs", controller.Register(t.Context(), third, planOf(third)), client.ErrFull)
	_, err = controller.MakeReport(t.Context(), runUID)
	must(t, err)
	expect(t, "when an old run makes room", controller.Register(t.Context(), third, planOf(third)), nil)
	_, err = controller.State(t.Context(), runUID)
	expect(t, "the old run", err, client.ErrNotFound)
}

// largePlan is of so many worker-hours at 3,700 operations/s, some 55 MB each.
func largePlan(uid string, hours int64) []byte {
	p := plan.Plan{Format: plan.Format, Run: plan.Run{Namespace: "team", Name: "large", UID: uid, ID: "large-1a2b"},
		Workloads: []plan.Workload{{Name: "a", DurationMillis: hours * 3_600_000, Properties: map[string]string{"readproportion": "0.5", "updateproportion": "0.5"},
			Load: plan.Load{Workers: 1, Rate: 3_700}}}}
	document, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	return document
}

func TestRunsThatCanNotBeKeptAreRefusedWithTheSum(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(*Config)
		hours  int64
		want   string // empty: it is taken
	}{
		{"what fits", nil, 50, ""},
		{"more than may be of one run", nil, 100, "at most 4.0 GiB may be of one run (results.runBytes"},
		{"more than is kept", func(c *Config) { c.KeepBytes = 1 << 30 }, 50, "at most 1.0 GiB are kept of all runs (results.keepBytes"},
		{"more than the volume has", func(c *Config) { c.Size = func() (uint64, error) { return 2 << 30, nil } }, 50, "volume has room for 1.8 GiB (results.storage.size"},
		{"more than there is", nil, 1 << 30, "at most 4.0 GiB may be of one run"},
	} {
		t.Run(c.what, func(t *testing.T) {
			h := newHarness(t, func(config *Config) {
				config.Size = func() (uint64, error) { return 1 << 40, nil }
				if c.change != nil {
					c.change(config)
				}
			})
			err := h.as("controller").Check(t.Context(), runUID, largePlan(runUID, c.hours))
			if c.want == "" {
				must(t, err)
				return
			}
			if !errors.Is(err, client.ErrTooLarge) || client.Transient(err) {
				t.Fatalf("got %v", err)
			}
			for _, want := range []string{c.want, "the run would leave about ", "workload a, 1 worker for ", "KiB/s each", "measure for a shorter time"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q isn't said in: %v", want, err)
				}
			}
		})
	}
}

func TestRunsOfTooManyPodsAreRefused(t *testing.T) {
	of := func(workloads, workers int) []byte {
		p := plan.Plan{Format: plan.Format, Run: plan.Run{Namespace: "team", Name: "wide", UID: runUID, ID: "wide-1a2b"}}
		for i := range workloads {
			p.Workloads = append(p.Workloads, plan.Workload{Name: fmt.Sprintf("w-%d", i), DurationMillis: 1000, LoadFirst: i == 0, Load: plan.Load{Workers: workers}})
		}
		document, err := json.Marshal(p)
		if err != nil {
			panic(err)
		}
		return document
	}
	h := newHarness(t, func(config *Config) { config.Size = func() (uint64, error) { return 1 << 40, nil } })
	must(t, h.as("controller").Check(t.Context(), runUID, of(64, 15)))
	err := h.as("controller").Check(t.Context(), runUID, of(64, 16))
	if !errors.Is(err, client.ErrTooLarge) || !strings.Contains(err.Error(), "3104 files from 1040 pods, and 4000 files from 1000 pods may be of one run") {
		t.Errorf("got %v", err)
	}
}

func TestReportsMakeRoomForWhatARunWillLeave(t *testing.T) {
	var h *harness
	const volume = 4 << 30
	report := int64(1 << 30)
	h = newHarness(t, func(c *Config) {
		c.Free = func() (uint64, error) { // as if reports were that large
			left := int64(volume)
			for _, r := range h.server.registry.all() {
				left -= r.usage().bytes
			}
			return uint64(left), nil
		}
	})
	controller := h.as("controller")
	reportOf := func(uid string) {
		_, err := controller.MakeReport(t.Context(), uid)
		must(t, err)
		r, _ := h.server.registry.find(uid)
		r.mu.Lock()
		r.bytes = report
		r.mu.Unlock()
	}
	kept := func(what, uid string, want error) {
		t.Helper()
		_, err := controller.GetReport(t.Context(), uid)
		expect(t, what, err, want)
	}
	for _, uid := range []string{runUID, otherUID} {
		must(t, controller.Register(t.Context(), uid, planOf(uid)))
		reportOf(uid)
	}
	third := "33333333-3333-4333-8333-333333333333"
	expect(t, "what never has room", controller.Register(t.Context(), third, largePlan(third, 100)), client.ErrFull)
	kept("the older report", runUID, nil)
	must(t, controller.Register(t.Context(), third, largePlan(third, 40)))
	kept("the older report, after what has room without it", runUID, client.ErrNotFound)
	kept("the newer report", otherUID, nil)
	must(t, controller.Withdraw(t.Context(), third))
	must(t, controller.Register(t.Context(), third, largePlan(third, 10)))
	kept("the newer report, after what has room beside it", otherUID, nil)
}

func TestLeftoversOfAKillAreRemovedAndDamagedRunsAreLeft(t *testing.T) {
	h := registered(t)
	data := h.config.Data
	for _, leftover := range []string{
		filepath.Join(data, incomingFolder, otherUID, "plan.json"),
		filepath.Join(data, deletedFolder, otherUID, fileA0),
		filepath.Join(data, runsFolder, runUID, tempPrefix+"123"),
		filepath.Join(data, runsFolder, otherUID, "plan.json"),
	} {
		must(t, os.MkdirAll(filepath.Dir(leftover), 0o750))
		must(t, os.WriteFile(leftover, []byte("half"), 0o640))
	}
	h.restart()
	_, err := h.as("reader").State(t.Context(), runUID)
	expect(t, "a whole run", err, nil)
	_, err = h.as("reader").State(t.Context(), otherUID)
	expect(t, "a damaged run", err, client.ErrNotFound)
	for path, want := range map[string]bool{
		filepath.Join(data, incomingFolder, otherUID):             false,
		filepath.Join(data, deletedFolder, otherUID):              false,
		filepath.Join(data, runsFolder, runUID, tempPrefix+"123"): false,
		filepath.Join(data, runsFolder, otherUID, "plan.json"):    true,
	} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: there %v, want %v", path, err == nil, want)
		}
	}
}
