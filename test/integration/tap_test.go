package integration

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/internal/bundle"
)

// errBroken looks like a connection that failed.
var errBroken = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("the tap broke this call")}

// How a tap breaks a write.
type breakage string

const (
	failing  breakage = "fails"        // it doesn't get through
	killing  breakage = "is the last"  // the controller dies after it: the answer never arrives
	deleting breakage = "meets delete" // the run is deleted just before it
)

// tap stands between one life of a controller and everything that it writes to: it counts
// the writes and breaks one of them.
type tap struct {
	at     int // the write to break, from 1; 0 for none
	how    breakage
	remove func() // deletes the run
	death  chan struct{}

	mu     sync.Mutex
	writes []string
	dead   bool
}

func newTap(at int, how breakage) *tap { return &tap{at: at, how: how, death: make(chan struct{})} }

// write lets a write through, or not. Nothing passes once the controller is dead.
func (t *tap) write(what string, do func() error) error {
	t.mu.Lock()
	if t.dead {
		t.mu.Unlock()
		return errBroken
	}
	t.writes = append(t.writes, what)
	mine := len(t.writes) == t.at
	t.dead = mine && t.how == killing
	t.mu.Unlock()
	switch {
	case mine && t.how == failing:
		return errBroken
	case mine && t.how == killing:
		defer close(t.death)
		return errors.Join(do(), errBroken)
	case mine && t.how == deleting:
		t.remove()
	}
	return do()
}

func (t *tap) alive() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.dead
}

// broke says which write was broken; false when there were fewer.
func (t *tap) broke() (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.writes) < t.at {
		return "", false
	}
	return t.writes[t.at-1], true
}

// wrote says whether there was such a write, up to the one to break.
func (t *tap) wrote(part string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.writes[:min(t.at, len(t.writes))], func(what string) bool { return strings.Contains(what, part) })
}

// wrap taps the API server: what controller-runtime sends, and what Helm does.
func (t *tap) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(request *http.Request) (response *http.Response, err error) {
		if !mutates(request) {
			if !t.alive() {
				return nil, errBroken
			}
			return next.RoundTrip(request)
		}
		err = t.write(request.Method+" "+request.URL.Path, func() error {
			response, err = next.RoundTrip(request)
			return err
		})
		if err != nil {
			if response != nil {
				response.Body.Close()
			}
			return nil, err
		}
		return response, nil
	})
}

// mutates is true for writes that matter: events and what authorizes Helm's requests may
// get lost.
func mutates(request *http.Request) bool {
	switch request.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
	default:
		return false
	}
	return !strings.HasSuffix(request.URL.Path, "/events") && !strings.Contains(request.URL.Path, "/events/") &&
		!strings.Contains(request.URL.Path, "authorization.k8s.io")
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// tapped taps the results server.
type tapped struct {
	*ledger
	tap *tap
}

var _ clients.Results = (*tapped)(nil)

func (t *tapped) Check(ctx context.Context, uid string, planJSON []byte) error {
	return t.tap.write("results: check", func() error { return t.ledger.Check(ctx, uid, planJSON) })
}

func (t *tapped) Register(ctx context.Context, uid string, planJSON []byte) error {
	return t.tap.write("results: register", func() error { return t.ledger.Register(ctx, uid, planJSON) })
}

func (t *tapped) Withdraw(ctx context.Context, uid string) error {
	return t.tap.write("results: withdraw", func() error { return t.ledger.Withdraw(ctx, uid) })
}

func (t *tapped) StartIn(ctx context.Context, uid, workload string, in time.Duration) (start bundle.Start, err error) {
	err = t.tap.write("results: start of "+workload, func() error {
		start, err = t.ledger.StartIn(ctx, uid, workload, in)
		return err
	})
	return start, err
}

func (t *tapped) PutEnvironment(ctx context.Context, uid string, document []byte) error {
	return t.tap.write("results: environment", func() error { return t.ledger.PutEnvironment(ctx, uid, document) })
}

func (t *tapped) PutFaults(ctx context.Context, uid string, lines []byte) error {
	return t.tap.write("results: faults", func() error { return t.ledger.PutFaults(ctx, uid, lines) })
}

func (t *tapped) MakeReport(ctx context.Context, uid string) (report []byte, err error) {
	err = t.tap.write("results: report", func() error {
		report, err = t.ledger.MakeReport(ctx, uid)
		return err
	})
	return report, err
}

func (t *tap) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Sprintf("%d writes:\n%s", len(t.writes), strings.Join(t.writes, "\n"))
}
