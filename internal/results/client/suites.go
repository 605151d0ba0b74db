package client

import (
	"context"
	"net/http"
)

// PutSuite tells the server how far a suite is, by its manifest.
func (c *Client) PutSuite(ctx context.Context, uid string, manifest []byte) error {
	return c.send(ctx, request{method: http.MethodPut, path: "/v1/suites/" + uid, body: manifest, timeout: requestTimeout})
}

// GetSuite is one of a suite's documents: suite.json, suite.md, suite.csv, verdict.json or junit.xml.
func (c *Client) GetSuite(ctx context.Context, uid, document string) ([]byte, error) {
	return c.download(ctx, request{method: http.MethodGet, path: "/v1/suites/" + uid + "/" + document, timeout: reportTimeout})
}
