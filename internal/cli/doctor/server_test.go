package doctor

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/kube"
)

func clusterAt(t *testing.T, handler http.HandlerFunc) *kube.Cluster {
	t.Helper()
	api := httptest.NewServer(handler)
	t.Cleanup(api.Close)
	cluster, err := kube.Connect(&rest.Config{Host: api.URL}, "default", "kvbench-system")
	if err != nil {
		t.Fatal(err)
	}
	return cluster
}

func TestTheAPIServersGreeting(t *testing.T) {
	date := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	for name, c := range map[string]struct {
		status  int
		body    string
		version string
		refused string // "" is taken
	}{
		"a version":        {http.StatusOK, `{"gitVersion":"v1.34.2"}`, "v1.34.2", ""},
		"not for everyone": {http.StatusForbidden, `{}`, "", ""},
		"not known":        {http.StatusUnauthorized, `{}`, "", "doesn't know you"},
		"another server":   {http.StatusNotFound, `<html>`, "", "no API server"},
		"no version":       {http.StatusOK, `{}`, "", "no API server"},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := clusterAt(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/version" {
					t.Errorf("asked for %s", r.URL.Path)
				}
				w.Header().Set("Date", date.Format(http.TimeFormat))
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			})
			got, err := greet(t.Context(), cluster)
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) || exit.Code(err) != exit.Usage {
					t.Errorf("got %v, want %q", err, c.refused)
				}
				return
			}
			if err != nil || got.version != c.version || !got.date.Equal(date) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestWithoutAClusterOneErrorSaysSo(t *testing.T) {
	cluster := clusterAt(t, func(http.ResponseWriter, *http.Request) {})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if findings, err := examine(ctx, cluster); err == nil || findings != nil {
		t.Errorf("got %v, %v", findings, err)
	}
	cluster.Config.Host = "http://127.0.0.1:1"
	cluster, err := kube.Connect(cluster.Config, "default", "kvbench-system")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := examine(t.Context(), cluster); err == nil || exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "can't be reached") {
		t.Errorf("got %v", err)
	}
}

func TestOldVersionsOfKubernetesAreMissingSomething(t *testing.T) {
	for version, want := range map[string]string{
		"v1.30.0": "ok: v1.30.0", "v1.34.2-eks-1234": "ok: eks", "v2.0.0": "ok: v2", "v1.29.9": "problem: too old", "v1.9.1": "problem: too old",
		"": "unknown: needs the right to get /version", "strange": "unknown: strange",
	} {
		wantFindings(t, []Finding{judgeVersion(server{version: version})}, want)
	}
}
