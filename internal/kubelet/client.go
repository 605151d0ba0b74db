package kubelet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"k8s.io/client-go/rest"
)

const (
	requestTimeout = 5 * time.Second
	// maxSummaryBytes bounds what is read: 250 pods with some volumes need 2 MB.
	maxSummaryBytes = 16 << 20
)

// Client asks kubelets.
type Client struct{ http *http.Client }

// New is a client with these tokens. The certificates of kubelets are checked against the
// authority of the API server's that config names, unless insecure says that anything that answers
// at a node's address is trusted with a token.
func New(config *rest.Config, insecure bool, tokens *Tokens) (*Client, error) {
	own := rest.AnonymousClientConfig(config)
	own.Timeout = requestTimeout
	own.ServerName = ""
	own.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil }
	if insecure {
		own.Insecure, own.CAData, own.CAFile = true, nil, ""
	}
	made, err := rest.HTTPClientFor(own)
	if err != nil {
		return nil, fmt.Errorf("make a client for kubelets: %w", err)
	}
	made.Transport = &withToken{tokens, made.Transport}
	// The token is for the kubelet alone.
	made.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{made}, nil
}

// PodUsages is what the pods of the node use whose kubelet listens there.
func (c *Client) PodUsages(ctx context.Context, host string, port int32) ([]PodUsage, error) {
	address := "https://" + net.JoinHostPort(host, strconv.Itoa(int(port))) + "/stats/summary"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the kubelet answered with status %d", answer.StatusCode)
	}
	now, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil {
		return nil, errors.New("the kubelet doesn't say what time it is")
	}
	return parse(io.LimitReader(answer.Body, maxSummaryBytes), now)
}
