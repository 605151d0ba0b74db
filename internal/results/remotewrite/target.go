package remotewrite

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Target is where figures are sent.
type Target struct {
	// URL is the address of a Prometheus that takes remote write 1.0, or of what takes it as one.
	URL string
	// Secret is a folder with files, each of which may be missing; "" is none. They are read anew for each run. See the constants.
	Secret string
}

// Files of Target.Secret.
const (
	tokenFile    = "token" // a bearer token
	usernameFile = "username"
	passwordFile = "password"
	headersFile  = "headers" // a line "Name: value" for each
	caFile       = "ca.crt"  // the authorities that are trusted, in place of the system's
)

// Check says what is wrong with the address.
func (t *Target) Check() error {
	address, err := url.Parse(t.URL)
	if err == nil && address.User != nil {
		return errors.New("the URL for remote write has a user or a password: put them into the Secret, as username and password")
	}
	// It may hold a secret, so it isn't repeated.
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return errors.New("the URL for remote write is not one such as https://prometheus.example/api/v1/write")
	}
	return nil
}

// host is what a log may say of the URL.
func (t *Target) host() string {
	address, err := url.Parse(t.URL)
	if err != nil {
		return ""
	}
	return address.Host
}

const (
	requestLimit = 30 * time.Second
	answerBytes  = 512 // of a refusal, for the log
	secretBytes  = 64 << 10
)

// connection has what the files of the Secret said when it was made.
type connection struct {
	url    string
	header http.Header
	client *http.Client
}

func (t *Target) connect() (*connection, error) {
	files := map[string]string{}
	for _, name := range []string{tokenFile, usernameFile, passwordFile, headersFile, caFile} {
		content, err := t.read(name)
		if err != nil {
			return nil, err
		}
		files[name] = content
	}
	header, err := headerOf(files)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, MaxConnsPerHost: 1}
	if pem := files[caFile]; pem != "" {
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM([]byte(pem)) {
			return nil, fmt.Errorf("the Secret for remote write has no certificate in %s", caFile)
		}
	}
	return &connection{url: t.URL, header: header, client: &http.Client{
		Transport: transport, Timeout: requestLimit,
		// Whom the answer names may get neither the figures nor the token.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// read is a file of the Secret; "" if there is none.
func (t *Target) read(name string) (string, error) {
	if t.Secret == "" {
		return "", nil
	}
	file, err := os.Open(filepath.Join(t.Secret, name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the Secret for remote write: %w", err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, secretBytes))
	if err != nil {
		return "", fmt.Errorf("read the Secret for remote write: %w", err)
	}
	return strings.TrimSpace(string(content)), nil
}

// headerOf has the headers of each request. Its errors quote nothing: it is a Secret.
func headerOf(files map[string]string) (http.Header, error) {
	header := http.Header{}
	number := 0
	for line := range strings.Lines(files[headersFile]) {
		number++
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, is := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !is || name == "" {
			return nil, fmt.Errorf("line %d of %s in the Secret for remote write is no header: write Name: value", number, headersFile)
		}
		header.Set(name, strings.TrimSpace(value))
	}
	switch {
	case files[tokenFile] != "":
		header.Set("Authorization", "Bearer "+files[tokenFile])
	case files[usernameFile] != "":
		basic := &http.Request{Header: http.Header{}}
		basic.SetBasicAuth(files[usernameFile], files[passwordFile])
		header.Set("Authorization", basic.Header.Get("Authorization"))
	}
	header.Set("Content-Type", "application/x-protobuf")
	header.Set("Content-Encoding", "snappy")
	header.Set("X-Prometheus-Remote-Write-Version", "0.1.0")
	header.Set("User-Agent", "kvbench")
	return header, nil
}

// refusal is an answer to the figures, which would be the same again.
type refusal struct{ status, body string }

func (r *refusal) Error() string { return fmt.Sprintf("it answered %s: %s", r.status, r.body) }

// notNow is an answer that another time, or somebody who puts the settings right, may change.
type notNow struct {
	refusal
	after time.Duration // 0 if it doesn't say
}

// send is one request. Its error is a *refusal where another try would be in vain.
func (c *connection) send(ctx context.Context, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header = c.header.Clone()
	answer, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 == 2 {
		return nil
	}
	// What can't be read of the body is missing in the log alone.
	body, _ = io.ReadAll(io.LimitReader(answer.Body, answerBytes))
	r := refusal{status: answer.Status, body: strings.TrimSpace(strings.ToValidUTF8(string(body), "?"))}
	if final(answer.StatusCode) {
		return &r
	}
	return &notNow{refusal: r, after: retryAfter(answer.Header)}
}

// final says whether an answer is about the figures. One about who asks, or where, is not.
func final(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusProxyAuthRequired, http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	}
	return status/100 == 4
}

// retryAfter is how long the other side wants to be left alone, as far as that is bearable.
func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil {
		return 0
	}
	return time.Duration(max(0, min(seconds, int(maxBackOff/time.Second)))) * time.Second
}

func (c *connection) close() { c.client.CloseIdleConnections() }
