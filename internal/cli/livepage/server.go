// Package livepage serves the live page to the user's browser, on this machine alone. It speaks to the cluster and to the results
// server as the user, as the other verbs do.
package livepage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/watch"
	"github.com/kvbench/kvbench/internal/cli/watch/frame"
	"github.com/kvbench/kvbench/internal/results/stream"
	"github.com/kvbench/kvbench/web"
)

// Server answers the browser.
type Server struct {
	cluster *kube.Cluster
	results *kube.Results
	mux     *http.ServeMux
}

// New is for one namespace: that of the cluster.
func New(cluster *kube.Cluster, results *kube.Results) *Server {
	s := &Server{cluster: cluster, results: results, mux: http.NewServeMux()}
	s.mux.HandleFunc("GET /{$}", asset("text/html; charset=utf-8", web.LiveFrame))
	s.mux.HandleFunc("GET /live.js", asset("text/javascript; charset=utf-8", web.LiveScript))
	s.mux.HandleFunc("GET /page.css", asset("text/css; charset=utf-8", web.Style))
	s.mux.HandleFunc("GET /session.json", s.session)
	s.mux.HandleFunc("GET /list.json", s.list)
	s.mux.HandleFunc("GET /frames/{kind}/{name}/{uid}", s.frames)
	s.mux.HandleFunc("GET /v1/", s.forward)
	s.mux.HandleFunc("GET /comparison", s.compare)
	s.mux.HandleFunc("POST /draft", s.draft)
	s.mux.HandleFunc("POST /objects", s.create)
	s.mux.HandleFunc("POST /import", Import)
	Feeds(s.mux)
	s.mux.HandleFunc("DELETE /objects/{kind}/{name}/{uid}", s.cancel)
	return s
}

// Serve answers on a port of 127.0.0.1 until ctx ends; 0 is any. opened is told the address.
func (s *Server) Serve(ctx context.Context, port int, opened func(address string)) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return fmt.Errorf("opening a port for the browser: %w: choose another one with --port", err)
	}
	guarded := &guard{host: listener.Addr().String(), secret: newSecret(), next: s.mux}
	life, end := context.WithCancel(ctx)
	defer end()
	server := &http.Server{Handler: guarded, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return life }}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	opened(guarded.address())
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	end() // streams end by that
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if errors.Is(server.Shutdown(closing), context.DeadlineExceeded) {
		return server.Close()
	}
	return err
}

func asset(kind string, content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(content) // the browser has gone
	}
}

// session says to the page what it can ask for here.
func (s *Server) session(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{"namespace": s.cluster.Namespace, "cluster": true})
}

// list is that of kubectl kvbench list -o json.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	entries, unanswered, err := inventory.List(r.Context(), s.cluster, s.results, s.cluster.Namespace)
	if err != nil {
		refuse(w, http.StatusBadGateway, err)
		return
	}
	if entries == nil {
		entries = []inventory.Entry{}
	}
	told := map[string]any{"entries": entries}
	if unanswered != nil {
		told["missing"] = unanswered.Error()
	}
	answer(w, http.StatusOK, told)
}

// frames streams what kubectl kvbench watch shows, once a second until the end.
func (s *Server) frames(w http.ResponseWriter, r *http.Request) {
	entry, err := s.find(r)
	switch {
	case err != nil:
		refuse(w, http.StatusNotFound, err)
		return
	case !entry.InCluster:
		refuse(w, http.StatusGone, fmt.Errorf("%s is no longer in the cluster", entry.Reference()))
		return
	}
	// Each browser has a connection of its own, as each kubectl kvbench watch has.
	results := s.cluster.Results()
	defer results.Close()
	feed := stream.NewFeed(1)
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() {
		defer feed.End()
		id := int64(0)
		ended <- watch.Frames(ctx, s.cluster, results, entry, func(f *frame.Frame) error {
			document, err := json.Marshal(f)
			id++
			feed.Add(stream.Event{ID: id, Data: document})
			return err
		})
	}()
	streaming(w)
	_ = feed.Send(ctx, w, http.NewResponseController(w).Flush, 0) // the browser has gone
	stop()
	if err := <-ended; err != nil && r.Context().Err() == nil {
		document, _ := json.Marshal(map[string]string{"error": err.Error()})
		fmt.Fprintf(w, "event: failed\ndata: %s\n\n", document)
	}
}

func streaming(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
}

// forward hands a request for reading on to the results server.
func (s *Server) forward(w http.ResponseWriter, r *http.Request) {
	header := http.Header{}
	if had := r.Header.Get("Last-Event-ID"); had != "" {
		header.Set("Last-Event-ID", had)
	}
	path := r.URL.EscapedPath()
	if r.URL.RawQuery != "" {
		path += "?" + r.URL.RawQuery
	}
	told, err := s.results.Open(r.Context(), path, header)
	if err != nil {
		refuse(w, http.StatusBadGateway, err)
		return
	}
	defer told.Body.Close()
	kind := told.Header.Get("Content-Type")
	if strings.HasPrefix(kind, "text/html") { // the server has none, and nothing else is to run as this page
		kind = "text/plain; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(told.StatusCode)
	_, _ = io.Copy(&flushing{w, http.NewResponseController(w)}, told.Body) // one of the two has gone
}

// flushing sends each piece at once.
type flushing struct {
	to         io.Writer
	connection *http.ResponseController
}

func (f *flushing) Write(piece []byte) (int, error) {
	n, err := f.to.Write(piece)
	return n, errors.Join(err, f.connection.Flush())
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the browser has gone
}

func refuse(w http.ResponseWriter, status int, err error) {
	answer(w, status, map[string]string{"error": err.Error()})
}
