package client

import (
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

// State and Live are described in package wire.
type (
	State     = wire.State
	FileState = wire.FileState
	Live      = wire.Live
)

// pollTime is how long the server lets one request for a start wait.
const pollTime = 20 * time.Second

// repoll is the pause after a long poll that failed.
const repoll = 500 * time.Millisecond

// tokenPatience is how long a token may be refused in a row: longer than the kubelet takes
// to put a new one into the file, and the server to ask about it.
const tokenPatience = 3 * time.Minute

// Check asks whether the run could be registered, whenever it has its turn. The server keeps nothing
// of it. An error that isn't transient says that it never could.
func (c *Client) Check(ctx context.Context, uid string, plan []byte) error {
	return c.send(ctx, request{method: http.MethodPost, path: runPath(uid, "/admission"), body: plan, timeout: requestTimeout})
}

// Register makes the run of its plan, for which the server may forget others; again with the same bytes it lets it keep its place.
// With another plan it is ErrConflict, and ErrFull when no new run fits.
func (c *Client) Register(ctx context.Context, uid string, plan []byte) error {
	return c.send(ctx, request{method: http.MethodPut, path: runPath(uid, ""), body: plan, timeout: requestTimeout})
}

// Withdraw has the run forgotten if nobody has begun it; else it changes nothing.
func (c *Client) Withdraw(ctx context.Context, uid string) error {
	return c.send(ctx, request{method: http.MethodPost, path: runPath(uid, "/withdrawal"), timeout: requestTimeout})
}

// Claim asks for the writer's role, workload and index; ErrClaimed means that another
// pod has it.
func (c *Client) Claim(ctx context.Context, uid string, w bundle.Writer) error {
	body, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return c.send(ctx, request{method: http.MethodPost, path: runPath(uid, "/claims"), body: body, timeout: requestTimeout})
}

// StartIn starts the workload so long from the server's now, or answers with the start
// that was made before.
func (c *Client) StartIn(ctx context.Context, uid, workload string, in time.Duration) (bundle.Start, error) {
	body, err := json.Marshal(wire.StartRequest{InMillis: in.Milliseconds()})
	if err != nil {
		return bundle.Start{}, err
	}
	var start bundle.Start
	err = c.json(ctx, request{method: http.MethodPost, path: runPath(uid, "/starts/"+workload), body: body, timeout: requestTimeout}, &start)
	return start, err
}

// AwaitStart waits for the workload's start until ctx ends. It outlasts a server that is
// away for a time, and a token that has run out; one that is refused for good would wait
// for a start that it never hears of.
func (c *Client) AwaitStart(ctx context.Context, uid, workload string) (bundle.Start, error) {
	var refused time.Time // since when every answer was that the token is no good
	for {
		start, made, err := c.pollStart(ctx, uid, workload, pollTime)
		switch {
		case ctx.Err() != nil:
			return bundle.Start{}, fmt.Errorf("wait for the start of workload %q: %w", workload, ctx.Err())
		case made:
			return start, nil
		case err != nil && !Transient(err):
			return bundle.Start{}, fmt.Errorf("wait for the start of workload %q: %w", workload, err)
		case !errors.Is(err, ErrUnauthenticated):
			refused = time.Time{}
		case refused.IsZero():
			refused = time.Now()
		case time.Since(refused) > c.tokenPatience:
			return bundle.Start{}, fmt.Errorf("wait for the start of workload %q: refused for %s: %w", workload, c.tokenPatience, err)
		}
		if err != nil {
			pause(ctx, repoll)
		}
	}
}

// pollStart asks once; made is false when there is no start yet.
func (c *Client) pollStart(ctx context.Context, uid, workload string, wait time.Duration) (start bundle.Start, made bool, err error) {
	path := runPath(uid, fmt.Sprintf("/starts/%s?waitMillis=%d", workload, wait.Milliseconds()))
	err = c.do(ctx, request{method: http.MethodGet, path: path, timeout: wait + requestTimeout},
		func(status int, body io.Reader) error {
			if status == http.StatusNoContent {
				return nil
			}
			made = true
			return json.NewDecoder(body).Decode(&start)
		})
	return start, made && err == nil, err
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// PutFaults replaces the run's faults.jsonl by these lines.
func (c *Client) PutFaults(ctx context.Context, uid string, lines []byte) error {
	return c.send(ctx, request{method: http.MethodPut, path: runPath(uid, "/faults"), body: lines, timeout: requestTimeout})
}

// PutEnvironment gives the run its environment.json. The first one stays.
func (c *Client) PutEnvironment(ctx context.Context, uid string, document []byte) error {
	return c.send(ctx, request{method: http.MethodPut, path: runPath(uid, "/environment"), body: document, timeout: requestTimeout})
}

// State is what the server holds of the run.
func (c *Client) State(ctx context.Context, uid string) (State, error) {
	var state State
	err := c.json(ctx, request{method: http.MethodGet, path: runPath(uid, ""), timeout: requestTimeout}, &state)
	return state, err
}

// Live is the newest whole second of the run.
func (c *Client) Live(ctx context.Context, uid string) (Live, error) {
	var live Live
	err := c.json(ctx, request{method: http.MethodGet, path: runPath(uid, "/live"), timeout: requestTimeout}, &live)
	return live, err
}

func runPath(uid, rest string) string { return "/v1/runs/" + uid + rest }
