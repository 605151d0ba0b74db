package results

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/live/seconds"
)

// stream reads the events of a run's seconds until one is wanted no more, as a browser does.
func (h *harness) stream(token, after string, each func(id, name, data string) (goOn bool)) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 20*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, h.web.URL+"/v1/runs/"+runUID+"/seconds", nil)
	must(h.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	if after != "" {
		request.Header.Set("Last-Event-ID", after)
	}
	answer, err := h.web.Client().Do(request)
	must(h.t, err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		each("", "refused", answer.Status)
		return
	}
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		h.t.Errorf("the stream is %q", kind)
	}
	id, name := "", ""
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch key {
		case "id":
			id, name = value, ""
		case "event":
			name = value
		case "data":
			if !each(id, name, value) {
				return
			}
		}
	}
	h.t.Errorf("the stream ended: %v", lines.Err())
}

// selfLines are what a worker says of itself in so many seconds, from the instant on.
func selfLines(t *testing.T, from time.Time, number int) (all []byte) {
	t.Helper()
	for i := range number {
		line, err := json.Marshal(bundle.SelfLine{AtUnixNanos: from.Add(time.Duration(i+1) * time.Second).UnixNano(), Second: &bundle.SelfSecond{LengthMicros: 1_000_000, Intended: int64(100 + i)}})
		must(t, err)
		all = append(append(all, line...), '\n')
	}
	return all
}

func TestTheSecondsOfARunGoOnAfterTheServerHasBegunAnew(t *testing.T) {
	clock := &hands{now: time.Unix(1_700_000_000, 0)}
	h := registered(t, func(config *Config) { config.Now = clock.Now })
	h.allow("get benchmarkruns")
	controller := h.as("controller")
	_, err := controller.StartIn(t.Context(), runUID, "a", time.Second)
	must(t, err)
	start := clock.Now().Add(time.Second)
	clock.add(21 * time.Second)
	self := selfLines(t, start, 20)
	lines := strings.SplitAfter(string(self), "\n")
	send := func(from, to int) {
		t.Helper()
		offset, part := len(strings.Join(lines[:from], "")), strings.Join(lines[from:to], "")
		for i := range 2 {
			w := bundle.Writer{Role: bundle.RoleWorker, Workload: "a", Index: i, PodUID: podUID}
			if from == 0 {
				sendAll(t, controller, w.File(bundle.Hlog), []byte("#[Histogram log format version 1.3]\n"))
			}
			_, err := controller.Append(t.Context(), runUID, w.File(bundle.Jsonl), int64(offset), []byte(part))
			must(t, err)
		}
	}
	send(0, 10)
	// Workers without rows are idle, and each second waits for 5 s until that is sure.
	last, told := "", []int64{}
	read := func(until int64) func(id, name, data string) bool {
		return func(id, name, data string) bool {
			if name == "started" {
				return true
			}
			var s seconds.Second
			must(t, json.Unmarshal([]byte(data), &s))
			last, told = id, append(told, s.UnixSeconds-start.Unix())
			if s.Intended != 2*(100+s.UnixSeconds-start.Unix()) || s.Workload != "a" {
				t.Errorf("second %d: %+v", told[len(told)-1], s)
			}
			return told[len(told)-1] < until
		}
	}
	h.stream("user", "", read(4))
	h.restart()
	send(10, 20)
	h.stream("user", last, read(13))
	for i, second := range told {
		if second != int64(i) {
			t.Fatalf("told are the seconds %v", told)
		}
	}
	h.stream("rival", "", func(_, name, status string) bool {
		if name != "refused" || !strings.HasPrefix(status, "403") {
			t.Errorf("another namespace's user gets %s %s", name, status)
		}
		return false
	})
	h.stream("reader", last, func(_, name, _ string) bool {
		if name == "" { // a second that wasn't read before
			if _, err := h.server.registry.forget(runUID, func(usage) bool { return true }); err != nil {
				t.Error(err)
			}
			return true
		}
		if name != "gone" {
			t.Errorf("a run was deleted, and the stream tells of %q", name)
		}
		return false
	})
}
