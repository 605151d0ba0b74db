package remotewrite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// server has runs whose reports are made, and a sender.
type server struct {
	*Sender
	t   *testing.T
	log bytes.Buffer

	mu     sync.Mutex
	runs   []Run
	pauses []time.Duration
	over   chan string // UIDs of runs that are over
}

func newServer(t *testing.T, url string, folders ...string) *server {
	v := &server{t: t, over: make(chan string, 10)}
	for _, folder := range folders {
		v.report(folder)
	}
	v.Sender = New(Target{URL: url}, v.listed, slog.New(slog.NewTextHandler(&v.log, nil)), prometheus.NewRegistry())
	v.pause = func(_ context.Context, length time.Duration) { v.pauses = append(v.pauses, length) }
	return v
}

func (v *server) listed() []Run {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]Run{}, v.runs...)
}

func (v *server) report(folder string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.runs = append(v.runs, Run{UID: folder, Folder: folder, Mark: func(content []byte) error {
		err := os.WriteFile(filepath.Join(folder, MarkFile), content, 0o600)
		if readMark(folder).Over {
			v.over <- folder
		}
		return err
	}})
}

// sendAll goes on until so many runs are over.
func (v *server) sendAll(runs int) {
	v.t.Helper()
	ctx, cancel := context.WithCancel(v.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		v.Send(ctx)
	}()
	for range runs {
		v.wait()
	}
	cancel()
	<-ended
}

// wait waits until a run is over.
func (v *server) wait() {
	v.t.Helper()
	select {
	case <-v.over:
	case <-time.After(time.Minute):
		v.t.Fatal("runs are still pending")
	}
}

func (v *server) counted() (samples, away, refused, unusable float64) {
	m := v.metrics
	return testutil.ToFloat64(m.samples), testutil.ToFloat64(m.failures.WithLabelValues(reasonAway)),
		testutil.ToFloat64(m.failures.WithLabelValues(reasonRefused)), testutil.ToFloat64(m.failures.WithLabelValues(reasonUnusable))
}

// drawnFolder has a run of an hour's seconds: more than one request.
func drawnFolder(t *testing.T) string {
	t.Helper()
	of, err := json.Marshal(began("2026-01-02T03:04:05.000000Z"))
	must(t, err)
	c, err := json.Marshal(drawn(3600, 1))
	must(t, err)
	return folderWith(t, of, c)
}

const (
	// Six counts, one of successes and five percentiles, each with its end.
	samplesOfHour  = (6 + 1 + 5) * 3601
	requestsOfHour = (samplesOfHour + batchSamples - 1) / batchSamples
)

func TestAnOrdinaryRunIsSentOnce(t *testing.T) {
	to, folder := newReceiver(t), drawnFolder(t)
	for _, runs := range []int{1, 0} { // the second one is a process that comes later
		v := newServer(t, to.url, folder)
		v.sendAll(runs)
		if left := v.pending(); len(left) > 0 {
			t.Errorf("pending are %v", left)
		}
		if requests, samples := to.seen(); requests != requestsOfHour || samples != samplesOfHour || len(v.pauses) > 0 || v.log.Len() > 0 {
			t.Errorf("%d samples in %d requests, want %d in %d; pauses %v, log %s", samples, requests, samplesOfHour, requestsOfHour, v.pauses, v.log.String())
		}
	}
	if m := readMark(folder); m != (mark{Samples: samplesOfHour, Over: true}) {
		t.Errorf("the mark is %+v", m)
	}
}

func TestWhatAnotherTimeMayTakeIsSentAgain(t *testing.T) {
	for name, fail := range map[string]func(w http.ResponseWriter){
		"away":         func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"broken":       func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) },
		"busy":         func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) },
		"not set up":   func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) },
		"wrong secret": func(w http.ResponseWriter) { w.WriteHeader(http.StatusUnauthorized) },
		"moved": func(w http.ResponseWriter) {
			w.Header().Set("Location", "/api/v1/write")
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
	} {
		t.Run(name, func(t *testing.T) {
			to := newReceiver(t)
			// The second request of the run fails ten times.
			to.answer = func(request int, w http.ResponseWriter, _ *http.Request) bool {
				if request < 2 || request > 11 {
					return true
				}
				fail(w)
				return false
			}
			v := newServer(t, to.url, drawnFolder(t))
			v.sendAll(1)
			if requests, samples := to.seen(); requests != requestsOfHour+10 || samples != samplesOfHour {
				t.Errorf("%d samples in %d requests", samples, requests)
			}
			if samples, away, refused, _ := v.counted(); samples != samplesOfHour || away != 10 || refused != 0 {
				t.Errorf("counted are %v samples, %v failures, %v refusals", samples, away, refused)
			}
			s := time.Second
			if want := []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 60 * s, 60 * s, 60 * s, 60 * s}; !reflect.DeepEqual(v.pauses, want) {
				t.Errorf("pauses %v", v.pauses)
			}
			if log := v.log.String(); strings.Count(log, "can't be sent") != 1 || strings.Count(log, "sent by remote write again") != 1 {
				t.Errorf("the log:\n%s", log)
			}
		})
	}
}

func TestAPauseIsAsLongAsTheOtherSideAsks(t *testing.T) {
	to := newReceiver(t)
	asked := []string{"20", "100000000", "-5", "tomorrow"}
	to.answer = func(request int, w http.ResponseWriter, _ *http.Request) bool {
		if request > len(asked) {
			return true
		}
		w.Header().Set("Retry-After", asked[request-1])
		w.WriteHeader(http.StatusServiceUnavailable)
		return false
	}
	v := newServer(t, to.url, drawnFolder(t))
	v.sendAll(1)
	if want := []time.Duration{20 * time.Second, maxBackOff, 4 * time.Second, 8 * time.Second}; !reflect.DeepEqual(v.pauses, want) {
		t.Errorf("pauses %v", v.pauses)
	}
}

func TestARefusedRunIsGivenUpAndTheNextOneSent(t *testing.T) {
	to := newReceiver(t)
	to.answer = func(request int, w http.ResponseWriter, _ *http.Request) bool {
		if request == 2 {
			http.Error(w, "out of order\nsample \xff"+strings.Repeat("x", 10_000), http.StatusBadRequest)
		}
		return request != 2
	}
	refused, next := drawnFolder(t), drawnFolder(t)
	v := newServer(t, to.url, refused, next)
	v.sendAll(2)
	if requests, samples := to.seen(); requests != 2+requestsOfHour || samples != batchSamples+samplesOfHour {
		t.Errorf("%d samples in %d requests", samples, requests)
	}
	if samples, away, refused, _ := v.counted(); samples != batchSamples+samplesOfHour || away != 0 || refused != 1 {
		t.Errorf("counted are %v samples, %v failures, %v refusals", samples, away, refused)
	}
	log := v.log.String()
	if strings.Count(log, "\n") != 1 || !strings.Contains(log, filepath.Base(refused)) || !strings.Contains(log, "400 Bad Request: out of order") || len(log) > 2000 {
		t.Errorf("the log:\n%s", log)
	}
	if m := readMark(refused); m.Samples != batchSamples || !m.Over || !strings.Contains(m.Trouble, "out of order") {
		t.Errorf("the mark is %+v", m)
	}
}

func TestARunThatFailsLetsTheOthersPass(t *testing.T) {
	to := newReceiver(t)
	broken, next := drawnFolder(t), drawnFolder(t)
	to.answer = func(request int, w http.ResponseWriter, _ *http.Request) bool {
		// The first of the two, until the other one was sent.
		if fail := request == 1 || !readMark(next).Over && request > 1+requestsOfHour; fail {
			w.WriteHeader(http.StatusInternalServerError)
			return false
		}
		return true
	}
	v := newServer(t, to.url, broken, next)
	v.sendAll(2)
	if requests, samples := to.seen(); requests != 1+2*requestsOfHour || samples != 2*samplesOfHour {
		t.Errorf("%d samples in %d requests", samples, requests)
	}
}

func TestAProcessThatComesLaterSendsTheRest(t *testing.T) {
	to, folder := newReceiver(t), drawnFolder(t)
	first := newServer(t, to.url, folder)
	ctx, kill := context.WithCancel(t.Context())
	to.answer = func(request int, w http.ResponseWriter, r *http.Request) bool {
		if request == 4 {
			kill()
			<-r.Context().Done()
		}
		return request != 4
	}
	first.Send(ctx)
	if left := first.pending(); len(left) != 1 || readMark(folder).Samples != 3*batchSamples || first.log.Len() > 0 {
		t.Fatalf("pending are %v, and the mark is %+v; log %s", left, readMark(folder), first.log.String())
	}
	newServer(t, to.url, folder).sendAll(1)
	if requests, samples := to.seen(); requests != requestsOfHour+1 || samples != samplesOfHour {
		t.Errorf("%d samples in %d requests", samples, requests)
	}
}

func TestRunsWithoutFiguresAreOver(t *testing.T) {
	to := newReceiver(t)
	bare, bad, gone := drawnFolder(t), folderWith(t, []byte("{}"), []byte(`{"format":1,"workloads":[{}]}`)), t.TempDir()
	must(t, os.Remove(filepath.Join(bare, "charts.json")))
	v := newServer(t, to.url, bare, bad, gone)
	v.sendAll(3)
	requests, _ := to.seen()
	if _, away, _, unusable := v.counted(); requests != 0 || away != 0 || unusable != 1 || strings.Count(v.log.String(), "\n") != 1 {
		t.Errorf("%d requests, %v failures, %v unusable; log %s", requests, away, unusable, v.log.String())
	}
	if !strings.Contains(readMark(bad).Trouble, "began") {
		t.Errorf("the mark is %+v", readMark(bad))
	}
}

func TestTheSecretGoesWithEachRequestAndIsReadForEachRun(t *testing.T) {
	secret := t.TempDir()
	put := func(name, content string) { must(t, os.WriteFile(filepath.Join(secret, name), []byte(content), 0o600)) }
	var got http.Header
	web := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }))
	defer web.Close()
	send := func() error {
		c, err := (&Target{URL: web.URL, Secret: secret}).connect()
		must(t, err)
		defer c.close()
		return c.send(t.Context(), nil)
	}
	if err := send(); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown authority: %v", err)
	}
	put(caFile, pemOf(web.Certificate()))
	put(headersFile, "X-Scope-OrgID: team\n\n X-Other : a:b\n")
	put(usernameFile, "anna\n")
	put(passwordFile, "secret\n")
	must(t, send())
	if user, password, _ := (&http.Request{Header: got}).BasicAuth(); user != "anna" || password != "secret" ||
		got.Get("X-Scope-OrgID") != "team" || got.Get("X-Other") != "a:b" ||
		got.Get("Content-Encoding") != "snappy" || got.Get("X-Prometheus-Remote-Write-Version") != "0.1.0" {
		t.Errorf("headers %v", got)
	}
	put(tokenFile, "t0ken\n")
	must(t, send())
	if got.Get("Authorization") != "Bearer t0ken" {
		t.Errorf("headers %v", got)
	}
	for name, content := range map[string]string{headersFile: "X-A: b\nsecret", caFile: "secret"} {
		put(name, content)
		if _, err := (&Target{URL: web.URL, Secret: secret}).connect(); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
		must(t, os.Remove(filepath.Join(secret, name)))
	}
}

func TestAddressesAreChecked(t *testing.T) {
	for address, good := range map[string]bool{
		"http://prometheus:9090/api/v1/write": true, "https://a.example/push?tenant=1": true,
		"prometheus:9090": false, "/api/v1/write": false, "ftp://a/": false, "http://": false, "http://user:pass@a/": false, "http://a/%zz": false, "": false,
	} {
		if err := (&Target{URL: address}).Check(); (err == nil) != good || err != nil && strings.Contains(err.Error(), "pass@") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestAReportThatIsMadeLaterIsSentWhenItIsToldOf(t *testing.T) {
	var none *Sender
	none.Wake()
	to, first, second := newReceiver(t), drawnFolder(t), drawnFolder(t)
	v := newServer(t, to.url, first)
	for range 3 { // nobody reads yet
		v.Wake()
	}
	go v.Send(t.Context())
	v.wait()
	v.report(second)
	v.Wake()
	v.wait()
	if _, samples := to.seen(); samples != 2*samplesOfHour {
		t.Errorf("%d samples", samples)
	}
}

func TestAPauseEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		pause(t.Context(), time.Minute)
		if passed := time.Since(begun); passed != time.Minute {
			t.Errorf("a pause of a minute took %v", passed)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		pause(ctx, time.Minute)
		if passed := time.Since(begun); passed != 61*time.Second {
			t.Errorf("both took %v", passed)
		}
	})
}

func TestARequestWithoutAnAnswerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := (&Target{URL: "http://prometheus.example/"}).connect()
		must(t, err)
		read := make(chan error, 1)
		c.client.Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			go func() {
				_, err := io.Copy(io.Discard, far)
				read <- err
			}()
			return near, nil
		}
		begun := time.Now()
		err = c.send(t.Context(), []byte("figures"))
		var refused *refusal
		if passed := time.Since(begun); err == nil || errors.As(err, &refused) || passed != requestLimit {
			t.Errorf("after %v: %v", passed, err)
		}
		must(t, <-read)
	})
}
