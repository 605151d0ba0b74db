package observer

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// handler serves
//
//	/healthz    200 while the program runs
//	/readyz     200 when the store was steady a moment ago, else 503 and why not
//	/v1/sample  a look at the members made now, as a bundle.TopologyLine
//	/metrics    for Prometheus
func (w *watch) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprintln(rw, "ok") })
	mux.HandleFunc("GET /readyz", w.serveReady)
	mux.HandleFunc("GET /v1/sample", w.serveSample)
	mux.Handle("GET /metrics", w.gauges.handler())
	return mux
}

func (w *watch) serveReady(rw http.ResponseWriter, _ *http.Request) {
	line := w.newest()
	switch {
	case line == nil:
		http.Error(rw, "no sample yet", http.StatusServiceUnavailable)
	case !line.Steady:
		http.Error(rw, "not steady: "+line.Describe(), http.StatusServiceUnavailable)
	default:
		fmt.Fprintln(rw, "steady: "+line.Describe())
	}
}

func (w *watch) serveSample(rw http.ResponseWriter, r *http.Request) {
	line, ok := w.asked.ask(r.Context())
	if !ok {
		http.Error(rw, "the offset to the results server's clock is not known yet", http.StatusServiceUnavailable)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(rw).Encode(line); err != nil {
		return // the one who asked has gone
	}
}
