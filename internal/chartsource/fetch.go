// Package chartsource fetches Helm charts from registries and repositories.
//
// Anybody who can create runs can name a chart, and the controller that fetches it can reach addresses
// that its users can't. So the package sends requests only to addresses that an administrator has
// allowed. It bounds every answer that it reads, and has no credentials.
package chartsource

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Bounds of a fetch. Those of its answers leave the controller room.
const (
	maxIndexBytes    = 4 << 20
	maxManifestBytes = 1 << 20
	fetchDeadline    = 30 * time.Second
)

// Source is a chart in a registry (oci://), or of a repository, where it has a Name.
type Source struct {
	URL, Name, Version string
}

// Missing is why there is no such chart to be had, for who named it.
type Missing struct{ Trouble string }

func (m *Missing) Error() string { return m.Trouble }

func missing(format string, args ...any) error { return &Missing{fmt.Sprintf(format, args...)} }

// ErrBusy says that the one fetch at a time is another one.
var ErrBusy = errors.New("another chart is being fetched: it is tried again")

// Fetcher fetches from what is allowed, one chart after the other.
type Fetcher struct {
	allowed Allowed
	client  *http.Client
	one     chan struct{}
}

// New fetches by way of the transport.
func New(allowed Allowed, transport http.RoundTripper) *Fetcher {
	return &Fetcher{allowed: allowed, client: &http.Client{Transport: guard{allowed, transport}}, one: make(chan struct{}, 1)}
}

// Fetch returns the packed chart. Its error is a *NotAllowed or a *Missing where trying again
// wouldn't help, and ErrBusy while it fetches another one: whoever asks has other things to do.
func (f *Fetcher) Fetch(ctx context.Context, source Source) ([]byte, error) {
	select {
	case f.one <- struct{}{}:
		defer func() { <-f.one }()
	default:
		return nil, ErrBusy
	}
	ctx, cancel := context.WithTimeout(ctx, fetchDeadline)
	defer cancel()
	if source.Name == "" {
		return f.fromRegistry(ctx, source.URL, source.Version)
	}
	return f.fromRepository(ctx, source)
}
