package client

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/kvbench/kvbench/internal/results/wire"
)

// PutSuite tells the server how far a suite is, by its manifest.
func (c *Client) PutSuite(ctx context.Context, uid string, manifest []byte) error {
	return c.send(ctx, request{method: http.MethodPut, path: "/v1/suites/" + uid, body: manifest, timeout: requestTimeout})
}

// CheckSuite asks whether so much could be kept of one suite. ErrTooLarge says that it never could.
func (c *Client) CheckSuite(ctx context.Context, uid string, needed wire.SuiteNeed) error {
	body, err := json.Marshal(needed)
	if err != nil {
		return err
	}
	return c.send(ctx, request{method: http.MethodPost, path: "/v1/suites/" + uid + "/admission", body: body, timeout: requestTimeout})
}

// Adopt asks what a suite can take over from an earlier one of the same name: an adoption of its manifest. The server keeps
// the manifest.
func (c *Client) Adopt(ctx context.Context, uid string, ask wire.AdoptionRequest) ([]byte, error) {
	body, err := json.Marshal(ask)
	if err != nil {
		return nil, err
	}
	return c.download(ctx, request{method: http.MethodPost, path: "/v1/suites/" + uid + "/adoption", body: body, timeout: reportTimeout})
}

// PinBaselines has the server keep what a suite is compared with, as it is now.
func (c *Client) PinBaselines(ctx context.Context, uid string, ask wire.PinRequest) (pinned wire.Pinned, err error) {
	body, err := json.Marshal(ask)
	if err != nil {
		return pinned, err
	}
	err = c.json(ctx, request{method: http.MethodPut, path: "/v1/suites/" + uid + "/baselines", body: body, timeout: requestTimeout}, &pinned)
	return pinned, err
}

// KeepBaseline has the server keep what a complete suite found, under a name of its namespace.
func (c *Client) KeepBaseline(ctx context.Context, uid, name string) error {
	body, err := json.Marshal(wire.KeepRequest{Name: name})
	if err != nil {
		return err
	}
	return c.send(ctx, request{method: http.MethodPost, path: "/v1/suites/" + uid + "/baseline", body: body, timeout: reportTimeout})
}

// GetSuite is one of a suite's documents: suite.json, suite.md, suite.csv, verdict.json, baseline.json or junit.xml.
func (c *Client) GetSuite(ctx context.Context, uid, document string) ([]byte, error) {
	return c.download(ctx, request{method: http.MethodGet, path: "/v1/suites/" + uid + "/" + document, timeout: reportTimeout})
}
