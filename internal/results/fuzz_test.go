package results

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/callers"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// answerWriter takes deadlines, as a connection's does.
type answerWriter struct{ *httptest.ResponseRecorder }

func (answerWriter) SetReadDeadline(time.Time) error  { return nil }
func (answerWriter) SetWriteDeadline(time.Time) error { return nil }

// fuzzedServer knows one run, whose bounds are tight.
func fuzzedServer(f *testing.F) (server *Server, folder string) {
	f.Helper()
	limits := DefaultLimits()
	limits.BytesPerRun, limits.FilesPerRun, limits.ClaimsPerRun = 64<<10, 20, 20
	folder = f.TempDir()
	server, err := New(Config{
		Data: folder, Limits: limits, Reviewer: &fakeReviewer{who: tokens()}, Authorizer: &fakeAuthorizer{}, Report: inProcess(listingReport), Now: time.Now,
		Policy: callers.Policy{Controllers: []string{tokens()["controller"].Username}, Readers: []string{tokens()["reader"].Username}},
		Log:    slog.New(slog.DiscardHandler), Free: func() (uint64, error) { return 1 << 40, nil },
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { server.Close() })
	if _, err := server.registry.register(runUID, planOf(runUID)); err != nil {
		f.Fatal(err)
	}
	return server, folder
}

// Whatever a pod sends is answered, is never the server's own failure, and leaves nothing
// on the disk but files that a bundle may have, within the run's bound.
func FuzzRequest(f *testing.F) {
	callers := []string{"worker", "second", "loader", "observer", "stranger", "other-run", "other-namespace", "reader", "", strings.Repeat("x", maxTokenBytes+1)}
	run := "/v1/runs/" + runUID
	for _, seed := range []struct{ method, path, query, body string }{
		{"PATCH", run + "/files/" + fileA0, "offset=0", "#kvbench-bins"},
		{"PATCH", run + "/files/" + fileA0, "offset=-1", ""},
		{"PATCH", run + "/files/" + fileA0, "offset=99999999999999999999", "x"},
		{"PATCH", run + "/files/..%2f..%2fetc", "offset=0", "x"},
		{"PUT", run + "/files/" + fileA0 + "/end", "", `{"length":-1,"sha256":"x"}`},
		{"POST", run + "/claims", "", `{"role":"worker","workload":"a","index":0,"podUID":"` + podUID + `"}`},
		{"POST", run + "/claims", "", `{"role":"worker","workload":"a","index":-9223372036854775808,"podUID":"../x"}`},
		{"GET", run + "/starts/a", "waitMillis=30000", ""},
		{"GET", run + "/starts/a", "waitMillis=-1&waitMillis=1e9", ""},
		{"POST", run + "/starts/a", "", `{"startUnixNanos":9223372036854775807,"inMillis":9223372036854775807}`},
		{"GET", run + "/report.json", "", ""},
		{"GET", run + "/../../lock", "", ""},
		{"GET", run + "/live", "", ""},
		{"GET", run + "/bundle.tar", "", ""},
		{"PUT", run, "", string(planOf(runUID))},
		{"PUT", run + "/faults", "", "{}\n{}"},
		{"POST", run + "/report", "", ""},
	} {
		for who := range callers {
			f.Add(who, seed.method, seed.path, seed.query, []byte(seed.body))
		}
	}
	server, folder := fuzzedServer(f)
	f.Fuzz(func(t *testing.T, who int, method, path, query string, body []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		request := (&http.Request{
			Method: method, URL: &url.URL{Path: path, RawQuery: query}, Host: "x", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{"Authorization": {"Bearer " + callers[uint(who)%uint(len(callers))]}},
			Body:   io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
		}).WithContext(ctx)
		answer := httptest.NewRecorder()
		server.ServeHTTP(answerWriter{answer}, request)
		if answer.Code == http.StatusInternalServerError || answer.Code < 200 {
			t.Errorf("%s %s?%s: %d %s", method, path, query, answer.Code, answer.Body)
		}
		checkFolder(t, server, folder)
	})
}

func checkFolder(t *testing.T, server *Server, folder string) {
	t.Helper()
	top, err := os.ReadDir(folder)
	must(t, err)
	for _, entry := range top {
		if !slices.Contains([]string{runsFolder, incomingFolder, deletedFolder, suitesFolder, "lock", agesFile}, entry.Name()) {
			t.Errorf("%s is in the data folder", entry.Name())
		}
	}
	runs, err := os.ReadDir(filepath.Join(folder, runsFolder))
	must(t, err)
	if len(runs) != 1 {
		t.Errorf("%d runs", len(runs))
	}
	files, err := os.ReadDir(filepath.Join(folder, runsFolder, runUID))
	must(t, err)
	var total int64
	for _, file := range files {
		name := file.Name()
		if _, _, ok := bundle.ParseFile(strings.TrimSuffix(name, bundle.EndFile(""))); !ok && name != bundle.PlanFile && name != bundle.ClaimsFile {
			t.Errorf("%s is in the run's folder", name)
		}
		info, err := file.Info()
		must(t, err)
		total += info.Size()
	}
	// Claims and end marks are bounded by their number.
	if most := server.config.Limits.BytesPerRun + 20*400; total > most {
		t.Errorf("the run has %d bytes", total)
	}
}

// A claims file is what a killed process left.
func FuzzLoadClaims(f *testing.F) {
	line, err := json.Marshal(bundle.Claim{Writer: writerA0, Pod: "p", AtUnixNanos: 1})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append(line, '\n'))
	f.Add(append(append(slices.Clone(line), '\n'), line[:20]...))
	f.Add([]byte("\n\n{}\n"))
	f.Fuzz(func(t *testing.T, document []byte) {
		path := filepath.Join(t.TempDir(), bundle.ClaimsFile)
		must(t, os.WriteFile(path, document, 0o600))
		claims, err := loadClaims(path)
		if err != nil {
			return
		}
		// What was torn is gone: a second look, and the next line, find whole lines.
		again, err := loadClaims(path)
		if err != nil || !slices.Equal(again, claims) {
			t.Errorf("%v, then %v (%v)", claims, again, err)
		}
		if rest, err := os.ReadFile(path); err != nil || len(rest) > 0 && rest[len(rest)-1] != '\n' {
			t.Errorf("left %q (%v)", rest, err)
		}
	})
}

// A start is ahead of now, and not far, whatever was asked for.
func FuzzStartRequest(f *testing.F) {
	f.Add([]byte(`{"inMillis":3000}`), int64(1_800_000_000_123_456_789))
	f.Add([]byte(`{"startUnixNanos":1800000001000000000}`), int64(1_800_000_000_000_000_000))
	f.Add([]byte(`{"inMillis":-9223372036854775808}`), int64(0))
	f.Add([]byte(`{"startUnixNanos":-9223372036854775808,"inMillis":9223372036854775807}`), int64(1))
	f.Fuzz(func(t *testing.T, document []byte, unixNanos int64) {
		var ask wire.StartRequest
		if json.Unmarshal(document, &ask) != nil || unixNanos < 0 || unixNanos > 4e18 {
			return
		}
		now := time.Unix(0, unixNanos)
		start, err := resolveStart(ask, now)
		if err != nil {
			return
		}
		// Up to a second more, for the full one.
		if in := time.Unix(0, start.StartUnixNanos).Sub(now); in <= 0 || in > maxStartIn+time.Second {
			t.Errorf("%+v at %s starts in %s", ask, now, in)
		}
	})
}
