package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// MaxAppendBytes is the most that one Append takes.
const MaxAppendBytes = wire.MaxAppendBytes

// expectAbove is the size from which a body is sent only when the server wants it.
const expectAbove = 128 << 10

// Append adds data to the run's file, which must have the length offset, and returns the
// file's new length. On ErrOffset the length is the file's present one, from which the
// caller goes on. After any other error a part may have been appended: the next Append at
// the old offset answers ErrOffset with the length.
func (c *Client) Append(ctx context.Context, uid, name string, offset int64, data []byte) (length int64, err error) {
	var answer wire.Length
	err = c.json(ctx, request{
		method: http.MethodPatch, path: runPath(uid, fmt.Sprintf("/files/%s?offset=%d", name, offset)),
		body: data, timeout: appendTimeout, expectContinue: len(data) > expectAbove,
	}, &answer)
	var refused *Error
	if errors.As(err, &refused) {
		return refused.Problem.Length, err
	}
	if err == nil {
		c.full.Store(answer.NearlyFull)
	}
	return answer.Length, err
}

// NearlyFull says that the server answered to the last Append that it has room for the end of a
// measurement alone.
func (c *Client) NearlyFull() bool { return c.full.Load() }

// End marks the file as complete. ErrOffset means that the server's file has another length, and
// ErrDigest that it had other bytes, and is empty now; again with the same mark it changes nothing.
func (c *Client) End(ctx context.Context, uid, name string, mark bundle.End) error {
	body, err := json.Marshal(mark)
	if err != nil {
		return err
	}
	return c.send(ctx, request{method: http.MethodPut, path: runPath(uid, "/files/"+name+"/end"), body: body, timeout: endTimeout})
}

// mergeWait is how long the server lets one request for a report wait.
const mergeWait = 5 * time.Second

// MakeReport has the run's files merged into the report, or gives the one made before. The server
// merges them beside its requests: while it does, the error is ErrMerging, and the caller asks again.
func (c *Client) MakeReport(ctx context.Context, uid string) ([]byte, error) {
	path := runPath(uid, fmt.Sprintf("/report?waitMillis=%d", mergeWait.Milliseconds()))
	return c.download(ctx, request{method: http.MethodPost, path: path, timeout: mergeWait + reportTimeout})
}

// GetReport is the report, ErrNotFound before it was made.
func (c *Client) GetReport(ctx context.Context, uid string) ([]byte, error) {
	return c.download(ctx, request{method: http.MethodGet, path: runPath(uid, "/"+bundle.ReportFile), timeout: requestTimeout})
}

// GetMarkdown is the report for reading.
func (c *Client) GetMarkdown(ctx context.Context, uid string) ([]byte, error) {
	return c.download(ctx, request{method: http.MethodGet, path: runPath(uid, "/"+bundle.MarkdownFile), timeout: requestTimeout})
}

// Bundle writes all files of the run to w, as a tar with their names at its root. After
// an error what was written is not whole.
func (c *Client) Bundle(ctx context.Context, uid string, w io.Writer) error {
	return c.do(ctx, request{method: http.MethodGet, path: runPath(uid, "/bundle.tar"), timeout: bundleTimeout},
		func(_ int, body io.Reader) error {
			_, err := io.Copy(w, body)
			return err
		})
}

func (c *Client) download(ctx context.Context, ask request) ([]byte, error) {
	var document bytes.Buffer
	err := c.do(ctx, ask, func(_ int, body io.Reader) error {
		n, err := io.Copy(&document, io.LimitReader(body, maxAnswerBytes+1))
		if err == nil && n > maxAnswerBytes {
			err = fmt.Errorf("the answer is larger than %d bytes", maxAnswerBytes)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return document.Bytes(), nil
}
