package observer

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// begin records a store for a while, in a bubble of synthetic time.
func begin(t *testing.T, store stores.Observer) (*watch, func() []bundle.TopologyLine) {
	t.Helper()
	server := &server{}
	watch := newWatch(testOptions(t, server), store)
	if err := watch.setClock(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- watch.record(ctx, &out) }()
	return watch, func() []bundle.TopologyLine {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("record ended with %v", err)
		}
		return parseLines(t, out.String())
	}
}

func TestRecordIsNeverSilentForLongAndTellsChangesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		store := &members{states: threeLedBy("m-0")}
		_, end := begin(t, store)
		time.Sleep(1230 * time.Millisecond)
		store.set(threeLedBy("")) // the leader is lost
		time.Sleep(1001 * time.Millisecond)
		store.set(threeLedBy("m-2"))
		time.Sleep(2 * time.Second)
		lines := end()

		if store.asked < 40 {
			t.Errorf("%d samples in 4.2 s", store.asked)
		}
		if len(lines) > store.asked/2 {
			t.Errorf("%d lines of %d samples: it writes without need", len(lines), store.asked)
		}
		for i, line := range lines {
			if line.Begins != (i == 0) {
				t.Errorf("line %d begins: %v", i, line.Begins)
			}
		}
		if lines[0].Clock == nil || lines[0].Clock.OffsetNanos != int64(offset) || lines[1].Clock != nil {
			t.Errorf("the clock is not told once: %+v", lines[:2])
		}
		if want := start.Add(offset).UnixNano(); lines[0].AtUnixNanos != want {
			t.Errorf("the first line is at %d, want %d in the server's time", lines[0].AtUnixNanos, want)
		}
		var changes []string
		for i, line := range lines[1:] {
			if gap := time.Duration(line.AtUnixNanos - lines[i].AtUnixNanos); gap <= 0 || gap > bundle.TopologyHeartbeatMillis*time.Millisecond {
				t.Errorf("%v between lines %d and %d", gap, i, i+1)
			}
			if line.Leader != lines[i].Leader {
				changes = append(changes, line.Leader+"@"+time.Unix(0, line.AtUnixNanos).Add(-offset).Sub(start).String())
			}
		}
		if got := strings.Join(changes, " "); got != "@1.3s m-2@2.3s" {
			t.Errorf("changes of the leader: %q", got)
		}
	})
}

func TestANewClockDoesNotTurnLinesAround(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &members{states: threeLedBy("m-0")}
		watch, end := begin(t, store)
		time.Sleep(250 * time.Millisecond)
		watch.mu.Lock()
		watch.clock, watch.told = &bundle.Clock{OffsetNanos: int64(offset - time.Second)}, false
		watch.mu.Unlock()
		time.Sleep(2 * time.Second)
		lines := end()
		clocks := 0
		for i, line := range lines {
			if i > 0 && line.AtUnixNanos <= lines[i-1].AtUnixNanos {
				t.Errorf("line %d is at %d, the one before at %d", i, line.AtUnixNanos, lines[i-1].AtUnixNanos)
			}
			if line.Clock != nil {
				clocks++
			}
		}
		if clocks != 2 {
			t.Errorf("%d clocks in the record", clocks)
		}
	})
}

func TestAGoodClockIsKeptUntilANewOneKnowsMore(t *testing.T) {
	const ms = int64(time.Millisecond)
	for _, c := range []struct {
		name  string
		old   int64 // the bounds
		age   time.Duration
		fresh int64
		keeps bool
		bound int64
	}{
		{"a better one", 2 * ms, time.Second, ms, false, ms},
		{"a worse one at once", ms, 0, 2 * ms, true, ms},
		{"a noisy one after a minute", ms, time.Minute, 9 * ms, true, 4 * ms},
		{"one within the drift", ms, time.Minute, 4 * ms, false, 4 * ms},
		{"a noisy one after four minutes", ms, 4 * time.Minute, 9 * ms, false, 9 * ms},
		{"a noisy one of a clock that moved", ms, time.Minute, 9 * ms, false, 9 * ms},
	} {
		off := int64(77)
		if strings.Contains(c.name, "moved") {
			off = 14 * ms
		}
		synctest.Test(t, func(t *testing.T) {
			server := &server{bound: c.old}
			watch := newWatch(testOptions(t, server), &members{})
			for _, estimate := range []struct {
				after      time.Duration
				off, bound int64
			}{{0, 0, c.old}, {c.age, off, c.fresh}} {
				time.Sleep(estimate.after)
				server.off, server.bound = estimate.off, estimate.bound
				if err := watch.setClock(t.Context(), server); err != nil {
					t.Fatal(err)
				}
			}
			off := watch.clock.OffsetNanos - int64(offset)
			if kept := off == 0; kept != c.keeps || watch.clock.BoundNanos != c.bound {
				t.Errorf("%s: kept %v with a bound of %d, want %v, %d", c.name, kept, watch.clock.BoundNanos, c.keeps, c.bound)
			}
			if watch.untold() == nil {
				t.Errorf("%s: the record is not told", c.name)
			}
		})
	}
}

// Noise that lasts must not add up: the kept estimate ages until the noise knows more.
func TestAKeptClockGetsOlder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &server{bound: int64(time.Millisecond)}
		watch := newWatch(testOptions(t, server), &members{})
		for minute := range 5 {
			if err := watch.setClock(t.Context(), server); err != nil {
				t.Fatal(err)
			}
			server.off, server.bound = 77, int64(9*time.Millisecond)
			kept := watch.clock.OffsetNanos == int64(offset)
			if want := minute < 3; kept != want {
				t.Errorf("after %d minutes: kept %v with a bound of %v", minute, kept, time.Duration(watch.clock.BoundNanos))
			}
			time.Sleep(time.Minute)
		}
	})
}

func TestALineThatCannotBeWrittenEndsTheRecord(t *testing.T) {
	server := &server{}
	watch := newWatch(testOptions(t, server), &members{states: threeLedBy("m-0")})
	if err := watch.setClock(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	if err := watch.record(t.Context(), full{}); err == nil || !strings.Contains(err.Error(), "no space") {
		t.Fatalf("%v", err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }

func TestReadyOnlyWithANewAndSteadySample(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &members{states: threeLedBy("m-1")}
		server := &server{}
		watch := newWatch(testOptions(t, server), store)
		get := func(path string) (int, string) {
			answer := httptest.NewRecorder()
			watch.handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
			return answer.Code, answer.Body.String()
		}
		expect := func(what, path string, code int, text string) {
			t.Helper()
			if got, body := get(path); got != code || !strings.Contains(body, text) {
				t.Errorf("%s: GET %s: %d %q, want %d %q", what, path, got, body, code, text)
			}
		}
		expect("at first", "/healthz", 200, "ok")
		expect("at first", "/readyz", 503, "no sample yet")
		if _, body := get("/metrics"); !strings.Contains(body, "kvbench_build_info{") || strings.Contains(body, "kvbench_member") || strings.Contains(body, "kvbench_store") {
			t.Errorf("before anyone looked, the metrics are\n%s", body)
		}
		expect("without a clock", "/v1/sample", 503, "clock")
		if err := watch.setClock(t.Context(), server); err != nil {
			t.Fatal(err)
		}
		expect("steady", "/v1/sample", 200, `"leader":"m-1"`)
		expect("steady", "/readyz", 200, `leader "m-1"`)
		expect("steady", "/metrics", 200, `kvbench_member_leader{member="m-1",store="etcd"} 1`)
		expect("steady", "/metrics", 200, `kvbench_store_steady{store="etcd"} 1`)
		store.set(threeLedBy(""))
		expect("before anyone looks", "/readyz", 200, "m-1")
		expect("electing", "/v1/sample", 200, `"steady":false`)
		expect("electing", "/readyz", 503, "m-0 follower (not healthy")
		expect("electing", "/metrics", 200, `kvbench_member_leader{member="m-1",store="etcd"} 0`)
		store.set(threeLedBy("m-1"))
		expect("steady again", "/v1/sample", 200, `"steady":true`)
		time.Sleep(time.Minute)
		expect("when sampling hangs", "/readyz", 503, "no sample yet")
	})
}
