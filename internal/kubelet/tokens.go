package kubelet

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// renewAfter is how long a token is used. The API server gives none for less than ten minutes.
const (
	renewAfter   = 5 * time.Minute
	TokenSeconds = 600
)

// Tokens are of an account that may ask kubelets, and nothing else: a kubelet sees the token of
// who asks it, and could use it.
type Tokens struct {
	request func(context.Context) (string, error)

	mu    sync.Mutex
	token string
	since time.Time
}

// NewTokens requests a token when it is needed, for TokenSeconds.
func NewTokens(request func(context.Context) (string, error)) *Tokens {
	return &Tokens{request: request}
}

func (t *Tokens) get(ctx context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token != "" && time.Since(t.since) < renewAfter {
		return t.token, nil
	}
	since := time.Now()
	token, err := t.request(ctx)
	if err != nil {
		return "", fmt.Errorf("get a token for kubelets: %w", err)
	}
	t.token, t.since = token, since
	return token, nil
}

// withToken sends requests with a token.
type withToken struct {
	tokens *Tokens
	next   http.RoundTripper
}

func (w *withToken) RoundTrip(request *http.Request) (*http.Response, error) {
	token, err := w.tokens.get(request.Context())
	if err != nil {
		return nil, err
	}
	with := request.Clone(request.Context())
	with.Header.Set("Authorization", "Bearer "+token)
	return w.next.RoundTrip(with)
}
