package hazelcast

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func TestCopiesAreThereOnceAMemberSaysSoTwice(t *testing.T) {
	var status, asked atomic.Int64
	status.Store(http.StatusServiceUnavailable)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/hazelcast/health/cluster-safe" {
			t.Errorf("asked for %s", r.URL)
		}
		asked.Add(1)
		w.WriteHeader(int(status.Load()))
	}))
	defer server.Close()
	s := newSafety(strings.TrimPrefix(server.URL, "http://"))
	defer s.Close()
	if !s.Settled() {
		t.Error("unsettled before any change")
	}
	s.Upset()
	if s.Settled() {
		t.Error("settled before it was asked")
	}
	until(t, "asked again", func() bool { return asked.Load() >= 2 })
	if s.Settled() {
		t.Error("settled without its copies")
	}
	status.Store(http.StatusOK)
	before := asked.Load()
	until(t, "settled", s.Settled)
	if asked.Load() < before+safetyLooks {
		t.Errorf("settled after %d looks", asked.Load()-before)
	}
	s.Upset()
	if s.Settled() {
		t.Error("settled at once after another change")
	}
	until(t, "settled again", s.Settled)
}

func TestWhoCannotTellOfCopiesKeepsNothingUp(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer server.Close()
	s := newSafety(strings.TrimPrefix(server.URL, "http://"))
	defer s.Close()
	s.Upset()
	until(t, "settled", s.Settled)
}
