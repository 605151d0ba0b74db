// Package client is the results server's client, for workers, observer, controller and everyone else. It
// knows nothing of Kubernetes.
//
// Every request has a timeout. The package repeats only the long polls of AwaitStart. A caller may
// repeat any request, and knows what that means.
package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kvbench/kvbench/internal/results/wire"
)

// Timeouts of a whole request, answer included.
const (
	requestTimeout = 15 * time.Second
	appendTimeout  = 30 * time.Second
	endTimeout     = time.Minute     // the server reads the whole file
	reportTimeout  = 2 * time.Minute // of a report's bytes
	bundleTimeout  = 15 * time.Minute
)

// maxAnswerBytes bounds an answer that is held in memory; a report is the largest.
const maxAnswerBytes = 256 << 20

// TokenSource gives the bearer token of the next request.
type TokenSource func() (string, error)

// TokenFile reads the token from a file for each request, since the kubelet replaces it.
func TokenFile(path string) TokenSource {
	return func() (string, error) {
		token, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("read the token for the results server: %w", err)
		}
		return strings.TrimSpace(string(token)), nil
	}
}

// Config says where the server is and how to trust it and be trusted.
type Config struct {
	URL   string // https://host:port
	CA    []byte // PEM
	Token TokenSource
	// ServerName is the name in the server's certificate; empty means the URL's host.
	ServerName string
	// Now is the clock whose offset EstimateClock finds, and by which certificates run out;
	// nil means time.Now.
	Now func() time.Time
}

// Client is safe for concurrent use.
type Client struct {
	base  string
	token TokenSource
	now   func() time.Time
	http  *http.Client
	full  atomic.Bool // NearlyFull
	// tokenPatience is tokenPatience, but in tests.
	tokenPatience time.Duration
}

// New checks the configuration; it does not connect.
func New(config Config) (*Client, error) {
	base, err := url.Parse(config.URL)
	if err != nil || base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("the results server's address %q is not of the form https://host:port", config.URL)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(config.CA) {
		return nil, errors.New("the results server's CA holds no certificate in PEM")
	}
	if config.Token == nil {
		return nil, errors.New("the results server needs a token, and there is no source of one")
	}
	now := config.Now
	if now == nil {
		now = time.Now
	}
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}
	return &Client{
		base: "https://" + base.Host, token: config.Token, now: now, tokenPatience: tokenPatience,
		http: &http.Client{
			Transport: &http.Transport{
				DialContext: dialer.DialContext,
				// The same clock: when the machine's is set, a certificate is still the one it was.
				TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: roots, ServerName: config.ServerName, Time: now},
				TLSHandshakeTimeout:   5 * time.Second,
				IdleConnTimeout:       30 * time.Second, // shorter than the server's
				MaxIdleConnsPerHost:   2,
				ExpectContinueTimeout: time.Second,
			},
			// The token is for this server and for no other.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Close gives up the idle connections; the client can still be used.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// request is one exchange.
type request struct {
	method  string
	path    string
	body    []byte
	timeout time.Duration
	// expectContinue asks the server before the body is sent: it refuses large bodies
	// without reading them.
	expectContinue bool
}

// do makes the exchange and gives the answer's body to read, if its status is a success.
func (c *Client) do(ctx context.Context, ask request, read func(status int, body io.Reader) error) error {
	ctx, cancel := context.WithTimeout(ctx, ask.timeout)
	defer cancel()
	token, err := c.token()
	if err != nil {
		return err
	}
	// A copy: a server that answers before it has read all leaves the transport reading, when the
	// caller has its memory back and writes the next part into it.
	r, err := http.NewRequestWithContext(ctx, ask.method, c.base+ask.path, bytes.NewReader(bytes.Clone(ask.body)))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if ask.expectContinue {
		r.Header.Set("Expect", "100-continue")
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("results server: %w", err) // names method and address
	}
	defer answer.Body.Close()
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return problemOf(ask, answer)
	}
	if err := read(answer.StatusCode, answer.Body); err != nil {
		return fmt.Errorf("results server: %s %s: %w", ask.method, ask.path, err)
	}
	return nil
}

// json makes an exchange with a JSON answer.
func (c *Client) json(ctx context.Context, ask request, into any) error {
	return c.do(ctx, ask, func(_ int, body io.Reader) error {
		return json.NewDecoder(io.LimitReader(body, maxAnswerBytes)).Decode(into)
	})
}

// send makes an exchange whose answer says nothing.
func (c *Client) send(ctx context.Context, ask request) error {
	return c.do(ctx, ask, func(_ int, body io.Reader) error {
		_, err := io.Copy(io.Discard, io.LimitReader(body, maxAnswerBytes))
		return err
	})
}

func problemOf(ask request, answer *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return fmt.Errorf("results server: %s %s: %s: %w", ask.method, ask.path, answer.Status, err)
	}
	problem := wire.Problem{}
	if json.Unmarshal(text, &problem) != nil || problem.Error == "" {
		problem = wire.Problem{Error: answer.Status}
	}
	return &Error{Status: answer.StatusCode, Problem: problem}
}
