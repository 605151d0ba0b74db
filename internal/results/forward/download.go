package forward

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/kvbench/kvbench/internal/results/wire"
)

// Paths below a run's location, /v1/runs/<uid>.
const (
	Report   = "/report.json"
	Markdown = "/report.md"
	Charts   = "/charts.json"
	Bundle   = "/bundle.tar"
	Live     = "/live"
)

// Location is the path of a run's resources.
func Location(uid string) string { return "/v1/runs/" + uid }

// SuiteLocation is the path of a suite's resources.
func SuiteLocation(uid string) string { return "/v1/suites/" + uid }

// Refusal is what the server said of a request that it didn't do.
type Refusal struct {
	Path    string
	Status  string // of HTTP
	Reason  wire.Reason
	Message string
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("the results server refused %s (%s): %s", r.Path, r.Status, r.Message)
}

// Download writes the body of a GET.
func (s *Session) Download(ctx context.Context, path string, to io.Writer) error {
	return s.Do(ctx, http.MethodGet, path, nil, to)
}

// Do sends a request with a body, or none, and writes the answer's. Its error is a *Refusal where the server answered.
func (s *Session) Do(ctx context.Context, method, path string, body []byte, to io.Writer) error {
	request, err := http.NewRequestWithContext(ctx, method, s.URL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := s.Client.Do(request)
	if err != nil {
		return fmt.Errorf("asking the results server for %s: %w", path, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusBadRequest {
		return refusal(path, answer)
	}
	if _, err := io.Copy(to, answer.Body); err != nil {
		return fmt.Errorf("downloading %s: %w", path, err)
	}
	return nil
}

// refusal is the server's word on why not.
func refusal(path string, answer *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return err
	}
	var problem wire.Problem
	if json.Unmarshal(body, &problem) != nil || problem.Error == "" {
		problem.Error = strings.TrimSpace(string(body))
	}
	return &Refusal{Path: path, Status: answer.Status, Reason: problem.Reason, Message: problem.Error}
}
