package kube

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// Live figures are asked for each second, and each connection costs the API server several requests.
func TestWhoLacksARightIsRefusedOnceInAWhile(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403}`))
	}))
	defer server.Close()
	cluster, err := Connect(&rest.Config{Host: server.URL}, "default", "kvbench-system")
	if err != nil {
		t.Fatal(err)
	}
	results := cluster.Results()
	defer results.Close()
	for range 3 {
		if live := results.Live(t.Context(), "u"); live != nil {
			t.Errorf("%+v without a right", live)
		}
	}
	if got := asked.Load(); got != 1 {
		t.Errorf("%d requests, want 1", got)
	}
	results.refused = time.Now().Add(-refusedPause)
	if results.Live(t.Context(), "u"); asked.Load() != 2 {
		t.Errorf("%d requests after a pause, want 2: the right may have been given", asked.Load())
	}
}
