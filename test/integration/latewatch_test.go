package integration

import (
	"io"
	"net/http"
	"strings"
	"sync"
)

// lateWatch keeps back what the API server tells those who watch a resource: a cache that is
// filled by them is behind for as long.
type lateWatch struct {
	resource string
	mu       sync.Mutex
	gate     chan struct{} // closed while nothing is kept back
}

func newLateWatch(resource string) *lateWatch {
	l := &lateWatch{resource: resource, gate: make(chan struct{})}
	close(l.gate)
	return l
}

// hold begins, and waits for nobody. While it lasts, another one changes nothing.
func (l *lateWatch) hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.gate:
		l.gate = make(chan struct{})
	default:
	}
}

// release may come before hold, and twice.
func (l *lateWatch) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.gate:
	default:
		close(l.gate)
	}
}

// released is closed while nothing is kept back.
func (l *lateWatch) released() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gate
}

// RoundTrip hands the request on, and slows the answer when it is a watch of the resource.
func (l *lateWatch) RoundTrip(next http.RoundTripper, request *http.Request) (*http.Response, error) {
	response, err := next.RoundTrip(request)
	if err == nil && request.URL.Query().Get("watch") == "true" && strings.HasSuffix(request.URL.Path, "/"+l.resource) {
		response.Body = &lateBody{ReadCloser: response.Body, released: l.released}
	}
	return response, err
}

type lateBody struct {
	io.ReadCloser
	released func() <-chan struct{}
}

func (b *lateBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	<-b.released()
	return n, err
}
