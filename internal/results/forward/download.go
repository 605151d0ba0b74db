package forward

import (
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
	Bundle   = "/bundle.tar"
	Live     = "/live"
)

// Location is the path of a run's resources.
func Location(uid string) string { return "/v1/runs/" + uid }

// Download writes the body of a GET.
func (s *Session) Download(ctx context.Context, path string, to io.Writer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
	if err != nil {
		return err
	}
	answer, err := s.Client.Do(request)
	if err != nil {
		return fmt.Errorf("asking the results server for %s: %w", path, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
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
	return fmt.Errorf("the results server refused %s (%s): %s", path, answer.Status, problem.Error)
}
