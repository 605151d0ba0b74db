package web_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/cli/compare/comparison"
	"github.com/kvbench/kvbench/internal/cli/initialize"
	"github.com/kvbench/kvbench/internal/cli/livepage"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/page"
	"github.com/kvbench/kvbench/internal/report/reporttest"
	"github.com/kvbench/kvbench/internal/results/live/seconds"
	"github.com/kvbench/kvbench/internal/results/stream"
	"github.com/kvbench/kvbench/test/browser"
	"github.com/kvbench/kvbench/web"
)

const liveUID = "11111111-1111-4111-8111-111111111111"

// liveServer answers the live page as kubectl kvbench open does, from a stored run that goes on as the test wants.
type liveServer struct {
	*httptest.Server
	run  *run
	told []seconds.Second

	mu       sync.Mutex
	feed     *stream.Feed
	frames   *stream.Feed
	framed   int64
	entries  []map[string]any
	reported bool
	cut      chan struct{}
	refuse   int      // so many streams are answered with an error
	came     []string // the Last-Event-IDs

	compared   []string
	comparison *page.Compared
	applied    []string
	cancelled  bool
}

func newLiveServer(t *testing.T, name string) *liveServer {
	t.Helper()
	s := &liveServer{run: stored(t, name), told: secondsOf(t, name), feed: stream.NewFeed(1000), frames: stream.NewFeed(1), cut: make(chan struct{})}
	s.entries = []map[string]any{{"kind": "run", "namespace": "team", "name": "demo", "uid": liveUID, "store": "etcd", "members": 3, "phase": "Measuring", "inCluster": true},
		{"kind": "suite", "namespace": "team", "name": "<b>bold</b>", "uid": "22222222-2222-4222-8222-222222222222", "phase": "Kept"}}
	mux := http.NewServeMux()
	file := func(kind string, content []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(content)
		}
	}
	document := func(value func() any) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(value()) }
	}
	events := func(feed func() *stream.Feed) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			after := int64(0)
			had := cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("after"))
			_, _ = fmt.Sscan(had, &after)
			s.mu.Lock()
			s.came = append(s.came, had)
			cut, refuse := s.cut, s.refuse > 0
			s.refuse--
			s.mu.Unlock()
			if refuse {
				http.Error(w, `{"error": "the server restarts"}`, http.StatusBadGateway)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			ctx, stop := contextUntil(r, cut)
			defer stop()
			_ = feed().Send(ctx, w, http.NewResponseController(w).Flush, after)
		}
	}
	mux.HandleFunc("GET /{$}", file("text/html; charset=utf-8", web.LiveFrame))
	mux.HandleFunc("GET /live.js", file("text/javascript", web.LiveScript))
	mux.HandleFunc("GET /page.css", file("text/css", web.Style))
	mux.HandleFunc("GET /session.json", document(func() any { return map[string]any{"namespace": "team", "cluster": true} }))
	mux.HandleFunc("GET /list.json", document(func() any {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.entries[0]["reported"] = s.reported
		return map[string]any{"entries": s.entries}
	}))
	mux.HandleFunc("GET /frames/run/demo/"+liveUID, events(func() *stream.Feed { return s.frames }))
	mux.HandleFunc("GET /v1/runs/"+liveUID+"/seconds", events(func() *stream.Feed { return s.feed }))
	mux.HandleFunc("GET /v1/runs/"+liveUID+"/report.json", file("application/json", s.run.reportJSON))
	mux.HandleFunc("GET /v1/runs/"+liveUID+"/charts.json", file("application/json", s.run.chartsJSON))
	mux.HandleFunc("GET /comparison", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.compared = r.URL.Query()["of"]
		s.mu.Unlock()
		_ = json.NewEncoder(w).Encode(s.comparison)
	})
	mux.HandleFunc("POST /draft", func(w http.ResponseWriter, r *http.Request) {
		var form struct {
			Name    string
			Answers map[string]string
		}
		_ = json.NewDecoder(r.Body).Decode(&form)
		drafted, err := initialize.DraftOf(form.Name, form.Answers)
		if err != nil {
			t.Error(err)
		}
		_ = json.NewEncoder(w).Encode(drafted)
	})
	mux.HandleFunc("POST /objects", func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.applied = append(s.applied, string(text))
		number := len(s.applied)
		s.mu.Unlock()
		if number == 1 {
			w.WriteHeader(http.StatusUnprocessableEntity)
			_ = json.NewEncoder(w).Encode(map[string]string{"error": "run/<i>demo</i> is already there"})
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"kind": "run", "name": "demo", "uid": liveUID})
	})
	mux.HandleFunc("POST /import", livepage.Import)
	livepage.Feeds(mux)
	mux.HandleFunc("DELETE /objects/run/demo/"+liveUID, func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		s.cancelled = true
		s.mu.Unlock()
		_, _ = io.WriteString(w, "{}")
	})
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

// contextUntil is the request's, and ends with the streams.
func contextUntil(r *http.Request, cut <-chan struct{}) (context.Context, func()) {
	ctx, stop := context.WithCancel(r.Context())
	go func() {
		select {
		case <-cut:
			stop()
		case <-ctx.Done():
		}
	}()
	return ctx, stop
}

// secondsOf are those of the first workload of a stored run.
func secondsOf(t *testing.T, name string) (all []seconds.Second) {
	t.Helper()
	archive := reporttest.Archive(t, filepath.Join("../internal/report/compute/testdata/golden", name, "bundle.tar.gz"))
	read := func(name string, into any) []byte {
		text, err := fs.ReadFile(archive, name)
		if err == nil && into != nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var p plan.Plan
	var start bundle.Start
	read(bundle.PlanFile, &p)
	w := p.Workloads[0]
	read(bundle.StartFile(w.Name), &start)
	files, names := map[string][]byte{}, []string{}
	for name := range archive {
		names = append(names, name)
		files[name] = read(name, nil)
		if strings.HasSuffix(name, ".hlog") {
			files[name] = reporttest.ByTime(files[name])
		}
	}
	slices.Sort(names)
	course := seconds.New(seconds.Workload{Name: w.Name, Workers: w.Load.Workers, WarmupMillis: w.Load.WarmupMillis, Start: time.Unix(0, start.StartUnixNanos)}, 0)
	for more := true; more; {
		told, again, err := course.Step(names, func(name string, offset int64, most int) ([]byte, error) {
			text := files[name][min(int(offset), len(files[name])):]
			return text[:min(most, len(text))], nil
		}, time.Unix(1<<33, 0))
		if err != nil {
			t.Fatal(err)
		}
		all, more = append(all, told...), again
	}
	return all
}

// tell sends the seconds up to one, and a frame.
func (s *liveServer) tell(t *testing.T, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		document, err := json.Marshal(s.told[i])
		if err != nil {
			t.Fatal(err)
		}
		s.feed.Add(stream.Event{ID: int64(i + 1), Data: document})
	}
	s.tellFrame(t, nil)
}

func (s *liveServer) tellFrame(t *testing.T, change map[string]any) {
	t.Helper()
	frame := map[string]any{"kind": "run", "namespace": "team", "name": "demo", "phase": "Measuring", "ended": false, "run": map[string]any{
		"name": "demo", "phase": "Measuring", "store": "etcd", "mode": "linearizable", "nodes": 3, "workload": "a",
		"steps":  []map[string]string{{"name": "load", "state": "Done"}, {"name": "measure", "state": "Current"}, {"name": "report", "state": "Waiting"}},
		"faults": []map[string]any{{"name": "kill", "action": "PodKill", "workload": "a", "at": "10s", "state": "Planned"}},
		"events": []map[string]any{{"time": "2026-11-29T09:00:00Z", "warning": true, "reason": "Slow", "message": "<img src=x onerror=alert(1)>"}},
		"load":   map[string]any{"leftSeconds": 12},
	}}
	for key, value := range change {
		frame[key] = value
	}
	document, err := json.Marshal(frame)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.framed++
	id := s.framed
	s.mu.Unlock()
	s.frames.Add(stream.Event{ID: id, Data: document})
}

// cutOff ends all streams, as a server that restarts does.
func (s *liveServer) cutOff() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.cut)
	s.cut = make(chan struct{})
}

func (s *liveServer) report() {
	s.mu.Lock()
	s.reported = true
	s.mu.Unlock()
	s.feed.Add(stream.Event{ID: int64(len(s.told) + 1), Name: "reported", Data: []byte("{}")})
	s.feed.End()
}

// served are the values of the line "served" by second, as the chart draws them.
const served = `(() => { const u = [...document.querySelectorAll(".plot")].find(e => e.getAttribute("aria-label").startsWith("Throughput"))?.plot; return u ? [[...u.data[0]], [...u.data[2]]] : [[], []]; })()`

func TestTheLivePageFollowsARunAndMissesNothing(t *testing.T) {
	s := newLiveServer(t, "leader-kill")
	s.tell(t, 0, 8)
	p := browser.Browse(t, s.URL+"/#/run/demo/"+liveUID)
	p.Until(served + `[0].length === 8`)
	accessible(t, p)
	if got := p.Text(".steps [aria-current]"); got != "measure" {
		t.Errorf("the step is %q", got)
	}
	p.Click(".live > details summary")
	if got := p.Text(".events li"); !strings.Contains(got, "Slow: <img src=x onerror=alert(1)>") {
		t.Errorf("the event is %q", got)
	}
	s.tell(t, 8, 12)
	p.Until(served + `[0].length === 12`)
	s.cutOff()
	p.Until(`document.querySelector("[role=status]").textContent.includes("is cut") || ` + served + `[0].length > 12`)
	s.tell(t, 12, len(s.told))
	p.Until(fmt.Sprintf(`%s[0].length === %d`, served, len(s.told)))
	drawn := browser.Evaluate[[2][]float64](p, served)
	for i, second := range s.told {
		ok := int64(0)
		for _, o := range second.Operations {
			if o.Outcome == "ok" && !o.Part {
				ok += o.Count
			}
		}
		if drawn[0][i] != float64(second.Second) || drawn[1][i] != float64(ok) {
			t.Errorf("second %v is drawn with %v served, and should be %d with %d", drawn[0][i], drawn[1][i], second.Second, ok)
		}
	}
	s.mu.Lock()
	if came := s.came; !slices.Contains(came, "12") {
		t.Errorf("after the cut the page asked for what follows %v", came)
	}
	s.mu.Unlock()
	s.report()
	p.Until(`document.querySelector(".badges")?.textContent === "valid"`)
	if got := p.Charts(); !contains(got, []string{"Throughput", "Percentiles of response time", "Around " + s.run.report.Faults[0].Name}) {
		t.Errorf("after the report are drawn %q", got)
	}
	accessible(t, p)
	for _, complaint := range p.Complaints() {
		if !strings.Contains(complaint, "502") { // of the streams that were refused
			t.Error(complaint)
		}
	}
}

func TestSecondsThatLackAWorkerAreGaps(t *testing.T) {
	s := newLiveServer(t, "closed-loop")
	for i := 4; i < 7; i++ {
		s.told[i].MissingWorkers, s.told[i].Operations, s.told[i].Heat = []int{1}, []seconds.Operation{}, []int64{}
	}
	s.tell(t, 0, 7)
	p := browser.Browse(t, s.URL+"/#/run/demo/"+liveUID)
	p.Until(served + `[0].length === 7`)
	if drawn := browser.Evaluate[[2][]*float64](p, served)[1]; drawn[3] == nil || drawn[4] != nil || drawn[6] != nil {
		t.Errorf("seconds of which nobody knows are drawn as %v", drawn)
	}
	if got := p.Text(".tiles"); !strings.Contains(got, "served–") {
		t.Errorf("of such a second the figures are %q", got)
	}
	if got := p.Text("section .warning"); got != "3 seconds are gaps in the charts, for they lack worker 1: it sent nothing of them, or told of several together." {
		t.Errorf("the page says %q", got)
	}
	quiet(t, p)
}

func TestAllWorkloadsOfARunAreDrawn(t *testing.T) {
	s := newLiveServer(t, "closed-loop")
	for i := 6; i < 12; i++ {
		s.told[i].Workload, s.told[i].Second, s.told[i].UnixSeconds = "next", int64(i-6), s.told[i].UnixSeconds+100
	}
	s.tell(t, 0, 12)
	p := browser.Browse(t, s.URL+"/#/run/demo/"+liveUID)
	p.Until(`document.querySelectorAll(".over-time").length === 2 && [...document.querySelectorAll(".over-time")].every(e => e.querySelector('[aria-label^="Throughput"]')?.plot?.data[0].length === 6)`)
	quiet(t, p)
}

func TestTheLivePageSaysThatARunWasDeleted(t *testing.T) {
	s := newLiveServer(t, "closed-loop")
	s.tell(t, 0, 5)
	p := browser.Browse(t, s.URL+"/#/run/demo/"+liveUID)
	p.Until(served + `[0].length === 5`)
	s.feed.Add(stream.Event{ID: 100, Name: "gone", Data: []byte("{}")})
	s.feed.End()
	p.Until(`!document.querySelector(".live > .warning[hidden]") && document.querySelector(".live > .warning").textContent.startsWith("No report of this run is kept")`)
	quiet(t, p)
}

func TestTheListIsSearched(t *testing.T) {
	s := newLiveServer(t, "closed-loop")
	p := browser.Browse(t, s.URL+"/")
	rows := `[...document.querySelectorAll("tbody tr")].map(r => r.cells[1].textContent)`
	p.Until(rows + `.length === 2`)
	accessible(t, p)
	p.Resize(380, 800)
	if wide := browser.Evaluate[int](p, `document.documentElement.scrollWidth`); wide > 380 {
		t.Errorf("on a phone of 380 the list is %d wide", wide)
	}
	p.Press("input[type=search]", "etcd meas")
	if got := browser.Evaluate[[]string](p, rows); !slices.Equal(got, []string{"demo"}) {
		t.Errorf("with the words are listed %q", got)
	}
	browser.Evaluate[bool](p, `(() => { const i = document.querySelector("input[type=search]"); i.value = "bold"; i.dispatchEvent(new Event("input")); return true; })()`)
	if got := browser.Evaluate[[]string](p, rows); !slices.Equal(got, []string{"<b>bold</b>"}) {
		t.Errorf("with the word bold are listed %q", got)
	}
	quiet(t, p)
}

func TestTheLauncherMakesARunAndThePageCancelsIt(t *testing.T) {
	s := newLiveServer(t, "closed-loop")
	p := browser.Browse(t, s.URL+"/#/new")
	p.Until(`document.querySelector("textarea").value.includes("name: etcd")`)
	accessible(t, p)
	choose := func(field, value string) {
		t.Helper()
		browser.Evaluate[bool](p, fmt.Sprintf(`(() => { const f = document.getElementById(%q); f.value = %q; f.dispatchEvent(new Event("change")); return true; })()`, "field-"+field, value))
	}
	choose("store", "redis")
	p.Until(`document.querySelector("textarea").value.includes("name: redis")`)
	choose("rate", "fast")
	p.Until(`document.getElementById("field-rate").getAttribute("aria-invalid") === "true"`)
	if got := p.Text("#field-rate-note"); !strings.Contains(got, "a rate is a whole number") {
		t.Errorf("the problem is %q", got)
	}
	choose("rate", "250")
	p.Until(`document.querySelector("textarea").value.includes("rate: 250")`)
	p.Click(".main")
	p.Until(`document.querySelector("[role=status]").textContent === "run/<i>demo</i> is already there" && !document.querySelector(".main").disabled`)
	p.Settle() // the page scrolls to the answer
	p.Click(".main")
	p.Until(`document.querySelector("h1").textContent === "team/demo"`)
	s.mu.Lock()
	if last := s.applied[len(s.applied)-1]; !strings.Contains(last, "rate: 250") || last != s.applied[0] {
		t.Errorf("applied is %s", last)
	}
	s.mu.Unlock()
	s.tell(t, 0, 3)
	p.Click(".live > .buttons button")
	p.Click(".live > .buttons .danger")
	p.Until(`document.querySelector(".live > .buttons").textContent.includes("is cancelled")`)
	s.mu.Lock()
	if !s.cancelled {
		t.Error("nothing was cancelled")
	}
	s.mu.Unlock()
	for _, complaint := range p.Complaints() {
		if !strings.Contains(complaint, "422") { // the first answer
			t.Error(complaint)
		}
	}
}

func TestWhatIsTickedIsCompared(t *testing.T) {
	s := newLiveServer(t, "leader-kill")
	_, s.comparison = compared(t, &comparison.Question{}, runSide(t, "leader-kill", "before"), runSide(t, "leader-kill", "after", later(3)))
	s.reported = true
	second := maps.Clone(s.entries[0])
	second["name"], second["uid"], second["reported"] = "other", "33333333-3333-4333-8333-333333333333", true
	s.entries = append(s.entries, second)
	p := browser.Browse(t, s.URL+"/")
	p.Until(`document.querySelectorAll("tbody tr").length === 3`)
	if disabled := browser.Evaluate[[]bool](p, `[...document.querySelectorAll("tbody input")].map(i => i.disabled)`); !slices.Equal(disabled, []bool{false, true, false}) {
		t.Errorf("what has no report can be ticked: %v", disabled)
	}
	p.Click("tbody tr:nth-child(3) input")
	p.Click("tbody tr:nth-child(1) input")
	accessible(t, p)
	p.Click(`a[href^="#/compare"]`)
	p.Until(`document.querySelector(".badges")?.textContent === "comparable"`)
	s.mu.Lock()
	if want := []string{"run/other/33333333-3333-4333-8333-333333333333", "run/demo/" + liveUID}; !slices.Equal(s.compared, want) {
		t.Errorf("compared are %q, and should be %q, the first ticked first", s.compared, want)
	}
	s.mu.Unlock()
	p.Settle()
	if got := p.Charts(); !contains(got, []string{"Ratios", "Throughput", "Outage by fault"}) {
		t.Errorf("drawn are %q", got)
	}
	quiet(t, p)
}
