package results

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/remotewrite"
)

// silent takes the place of a Prometheus. It says of each request that it has come, and answers when it may.
type silent struct {
	url     string
	came    chan struct{}
	answers chan int // status codes
}

func newSilent(t *testing.T) *silent {
	p := &silent{came: make(chan struct{}, 10), answers: make(chan int)}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		p.came <- struct{}{}
		select {
		case status := <-p.answers:
			w.WriteHeader(status)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(web.Close)
	p.url = web.URL
	return p
}

func (p *silent) await(t *testing.T) {
	t.Helper()
	select {
	case <-p.came:
	case <-time.After(time.Minute):
		t.Fatal("nothing was sent")
	}
}

// drawnReport is one of a second, with charts.
func drawnReport(_ context.Context, _ string, keep func(string, io.Reader) error) error {
	const made = `{"format":1,"valid":true,"run":{"name":"demo"},"workloads":[{"name":"a","startedAt":"2026-01-02T03:04:05.000000Z"}]}`
	const drawn = `{"format":1,"workloads":[{"name":"a","stepSeconds":1,"firstSecond":0,"steps":1,
		"counts":{"intended":[1],"ok":[1],"failed":[0],"unknown":[0],"completed":[1]},"operations":[]}]}`
	return errors.Join(keep(bundle.MarkdownFile, strings.NewReader("# report\n")), keep(bundle.ReportFile, strings.NewReader(made)),
		keep(bundle.ChartsFile, strings.NewReader(drawn)))
}

func TestNobodyWaitsForAPrometheusThatDoesNotAnswer(t *testing.T) {
	to := newSilent(t)
	h := registered(t, func(c *Config) {
		c.Report, c.RemoteWrite = drawnReport, &remotewrite.Target{URL: to.url}
	})
	controller := h.as("controller")
	_, err := controller.MakeReport(t.Context(), runUID)
	must(t, err)
	to.await(t) // and gets no answer
	must(t, controller.Register(t.Context(), otherUID, planOf(otherUID)))
	_, err = controller.Append(t.Context(), otherUID, fileA0, 0, []byte("data"))
	must(t, err)
	_, err = controller.MakeReport(t.Context(), otherUID)
	must(t, err)
	if left := pendingIn(t, h, runUID, otherUID); left != 2 {
		t.Errorf("%d runs are pending", left)
	}

	// So does a shutdown, and the next process begins anew.
	h.server.Release()
	h.server.background.Wait()
	h.restart()
	to.await(t)
	to.answers <- http.StatusNoContent
	to.await(t)
	// A run that is deleted meanwhile is no trouble.
	if gone, err := h.server.registry.forget(otherUID, func(usage) bool { return true }); err != nil || !gone {
		t.Fatal(gone, err)
	}
	to.answers <- http.StatusNoContent
	h.server.Release()
	h.server.background.Wait()
	if left := pendingIn(t, h, runUID); left != 0 {
		t.Errorf("%d runs are pending", left)
	}

	// The mark is no part of the bundle, and counted among its bytes.
	r, _ := h.server.registry.find(runUID)
	before := r.usage().bytes
	must(t, r.recount())
	if r.usage().bytes != before {
		t.Errorf("the run has %d bytes, and %d were counted", r.usage().bytes, before)
	}
	var archive bytes.Buffer
	must(t, r.archive(&archive))
	for files := tar.NewReader(&archive); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		if header.Name == remotewrite.MarkFile {
			t.Error("the bundle has the mark")
		}
	}
}

// pendingIn counts the runs whose marks don't say that they are over.
func pendingIn(t *testing.T, h *harness, uids ...string) (left int) {
	t.Helper()
	for _, uid := range uids {
		content, err := os.ReadFile(filepath.Join(h.config.Data, runsFolder, uid, remotewrite.MarkFile))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if !bytes.Contains(content, []byte(`"over":true`)) {
			left++
		}
	}
	return left
}
