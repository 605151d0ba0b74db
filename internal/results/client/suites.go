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

// GetSuite is one of a suite's documents: suite.json, suite.md, suite.csv, verdict.json or junit.xml.
func (c *Client) GetSuite(ctx context.Context, uid, document string) ([]byte, error) {
	return c.download(ctx, request{method: http.MethodGet, path: "/v1/suites/" + uid + "/" + document, timeout: reportTimeout})
}
