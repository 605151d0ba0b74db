package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/results/wire"
)

const (
	// patience bounds how long the results server may fail to answer.
	patience = time.Minute
	// refusedPause is how long a missing right is believed, where it is no error: an administrator may give it meanwhile.
	refusedPause = 30 * time.Second
)

// Results is a connection to the results server that is made when it is needed, and made
// anew when it broke. Requests may be made at the same time.
type Results struct {
	cluster *Cluster
	// everything asks as the account that reads all namespaces.
	everything bool
	refused    time.Time // when Live last lacked a right

	mu      sync.Mutex
	session *forward.Session
}

// Results are those that the user may read in his namespace.
func (c *Cluster) Results() *Results { return &Results{cluster: c} }

// AllResults are those of all namespaces, which only few may read.
func (c *Cluster) AllResults() *Results { return &Results{cluster: c, everything: true} }

// Close ends the connection.
func (r *Results) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.close()
}

func (r *Results) close() {
	if r.session != nil {
		r.session.Close()
		r.session = nil
	}
}

// connected is the connection, or a new one.
func (r *Results) connected(ctx context.Context) (*forward.Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session == nil {
		place := forward.Place{System: r.cluster.System, Namespace: r.cluster.Namespace, Everything: r.everything}
		session, err := forward.Open(ctx, r.cluster.Config, place)
		if err != nil {
			return nil, explainNetwork(err)
		}
		r.session = session
	}
	return r.session, nil
}

// drop ends a connection that broke, unless somebody has made a new one.
func (r *Results) drop(broken *forward.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session == broken {
		r.close()
	}
}

// do sends a request. After a failure of the connection the next request makes a new one.
func (r *Results) do(ctx context.Context, method, path string, body []byte, to io.Writer) error {
	session, err := r.connected(ctx)
	if err != nil {
		return err
	}
	err = session.Do(ctx, method, path, body, to)
	var refused *forward.Refusal
	if err != nil && (!errors.As(err, &refused) || refused.Reason == wire.ReasonUnauthenticated) {
		r.drop(session)
	}
	return err
}

// Open answers a GET, whatever its status is. The caller closes the body. A token that has run out is replaced.
func (r *Results) Open(ctx context.Context, path string, header http.Header) (*http.Response, error) {
	answer, err := r.open(ctx, path, header)
	if err == nil && answer.StatusCode == http.StatusUnauthorized {
		answer.Body.Close()
		return r.open(ctx, path, header)
	}
	return answer, err
}

func (r *Results) open(ctx context.Context, path string, header http.Header) (*http.Response, error) {
	session, err := r.connected(ctx)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, session.URL+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header = header
	answer, err := session.Client.Do(request)
	if err != nil && ctx.Err() == nil || err == nil && answer.StatusCode == http.StatusUnauthorized {
		r.drop(session)
	}
	return answer, err
}

// Live is the newest second, or nil: it is only shown, so its lack is no error. It is asked for each second, so who lacks
// a right is not refused each time anew.
func (r *Results) Live(ctx context.Context, uid string) *wire.Live {
	if time.Since(r.refused) < refusedPause {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	live := &wire.Live{}
	err := r.Ask(ctx, forward.Location(uid)+forward.Live, live)
	var access *forward.AccessError
	if errors.As(err, &access) {
		r.refused = time.Now()
	}
	if err != nil {
		return nil
	}
	return live
}

// Get downloads a document. The server may be restarting, so a failure is tried again
// for a while, and the last one is told. What the server refuses for good is not tried again.
func (r *Results) Get(ctx context.Context, path string) ([]byte, error) {
	deadline := time.Now().Add(patience)
	for said := false; ; {
		var body bytes.Buffer
		err := r.do(ctx, http.MethodGet, path, nil, &body)
		if err == nil {
			return body.Bytes(), nil
		}
		if ctx.Err() != nil || time.Now().After(deadline) || final(err) {
			return nil, fmt.Errorf("fetching the results: %w", err)
		}
		if !said {
			fmt.Fprintf(r.cluster.progress, "The results server doesn't answer (%v). Trying for %s ...\n", err, patience)
			said = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// GetTo is Get for a document that may be large. It is not tried again, for a part of it may have been written.
func (r *Results) GetTo(ctx context.Context, path string, to io.Writer) error {
	if err := r.do(ctx, http.MethodGet, path, nil, to); err != nil {
		return fmt.Errorf("fetching the results: %w", err)
	}
	return nil
}

// Ask reads an answer of JSON, at once or not at all.
func (r *Results) Ask(ctx context.Context, path string, into any) error {
	return r.ask(ctx, http.MethodGet, path, nil, into)
}

// Put sends a document.
func (r *Results) Put(ctx context.Context, path string, document []byte) error {
	return r.do(ctx, http.MethodPut, path, document, io.Discard)
}

// Delete has the server forget something.
func (r *Results) Delete(ctx context.Context, path string) error {
	return r.do(ctx, http.MethodDelete, path, nil, io.Discard)
}

func (r *Results) ask(ctx context.Context, method, path string, body []byte, into any) error {
	var answer bytes.Buffer
	if err := r.do(ctx, method, path, body, &answer); err != nil {
		return err
	}
	if err := json.Unmarshal(answer.Bytes(), into); err != nil {
		return fmt.Errorf("the results server's answer to %s is not understood, maybe because it has another version (see kubectl kvbench version): %w", path, err)
	}
	return nil
}

// final says that the same request would fail again. A token that has run out is replaced by the next connection.
func final(err error) bool {
	var refused *forward.Refusal
	var access *forward.AccessError
	if errors.As(err, &access) {
		return true
	}
	passing := []wire.Reason{wire.ReasonUnavailable, wire.ReasonMerging, wire.ReasonUnauthenticated}
	return errors.As(err, &refused) && !slices.Contains(passing, refused.Reason)
}
