package client

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/wire"
)

func clientOf(t *testing.T, handler http.HandlerFunc, change ...func(*Config)) *Client {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	config := Config{URL: server.URL, Token: func() (string, error) { return "token", nil },
		CA: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})}
	for _, c := range change {
		c(&config)
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func answer(status int, body any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
}

func TestWhichErrorsMayPass(t *testing.T) {
	problem := func(reason wire.Reason) wire.Problem {
		return wire.Problem{Error: "refused", Reason: reason, Length: 7}
	}
	for name, c := range map[string]struct {
		handler   http.HandlerFunc
		kinds     []error
		transient bool
	}{
		"expired token":       {answer(401, problem(wire.ReasonUnauthenticated)), []error{ErrUnauthenticated}, true},
		"forbidden":           {answer(403, problem(wire.ReasonForbidden)), []error{ErrForbidden}, false},
		"unknown":             {answer(404, problem(wire.ReasonNotFound)), []error{ErrNotFound}, false},
		"too large":           {answer(413, problem(wire.ReasonTooLarge)), []error{ErrTooLarge}, false},
		"wrong offset":        {answer(409, problem(wire.ReasonOffset)), []error{ErrConflict, ErrOffset}, false},
		"ended":               {answer(409, problem(wire.ReasonEnded)), []error{ErrConflict, ErrEnded}, false},
		"reported":            {answer(409, problem(wire.ReasonReported)), []error{ErrConflict, ErrReported}, false},
		"claimed":             {answer(409, problem(wire.ReasonClaimed)), []error{ErrConflict, ErrClaimed}, false},
		"digest":              {answer(409, problem(wire.ReasonDigest)), []error{ErrConflict, ErrDigest}, false},
		"full":                {answer(507, problem(wire.ReasonFull)), []error{ErrFull}, true},
		"busy":                {answer(503, problem(wire.ReasonUnavailable)), nil, true},
		"not from the server": {answer(502, "Bad Gateway"), nil, true},
		"connection broken":   {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, nil, true},
		"answer cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("{"))
			panic(http.ErrAbortHandler)
		}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := clientOf(t, c.handler).Append(t.Context(), "uid", "file", 0, []byte("x"))
			if err == nil {
				t.Fatal("no error")
			}
			for _, kind := range c.kinds {
				if !errors.Is(err, kind) {
					t.Errorf("%v is not %v", err, kind)
				}
			}
			if Transient(err) != c.transient {
				t.Errorf("%v: transient %v", err, !c.transient)
			}
		})
	}
}

func TestAServerThatIsAwayMayComeBackButAForgedOneIsRefused(t *testing.T) {
	away := clientOf(t, nil, func(c *Config) { c.URL = "https://127.0.0.1:1" })
	_, err := away.Time(t.Context())
	if !Transient(err) {
		t.Errorf("away: %v is permanent", err)
	}
	forged := clientOf(t, nil, func(c *Config) { c.ServerName = "somebody.else" })
	_, err = forged.Time(t.Context())
	if err == nil || Transient(err) {
		t.Errorf("forged: %v is transient", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = away.Time(ctx)
	if !errors.Is(err, context.Canceled) || Transient(err) {
		t.Errorf("cancelled: %v is transient", err)
	}
}

func TestAnAppendAtTheWrongOffsetTellsTheLength(t *testing.T) {
	c := clientOf(t, answer(409, wire.Problem{Error: "no", Reason: wire.ReasonOffset, Length: 7}))
	length, err := c.Append(t.Context(), "uid", "file", 0, []byte("x"))
	if length != 7 || !errors.Is(err, ErrOffset) {
		t.Errorf("length %d, %v", length, err)
	}
}

func TestTheTokenIsReadForEachRequest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	var seen atomic.Value
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		seen.Store(r.Header.Get("Authorization"))
		answer(200, wire.Time{UnixNanos: 1})(w, r)
	}, func(c *Config) { c.Token = TokenFile(path) })
	if _, err := c.Time(t.Context()); !errors.Is(err, os.ErrNotExist) || !Transient(err) {
		t.Errorf("without a file: %v", err)
	}
	for _, token := range []string{"first", "second"} {
		if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Time(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := seen.Load(); got != "Bearer "+token {
			t.Errorf("sent %q, want %q", got, token)
		}
	}
}

func TestWaitingForAStartOutlastsWhatMayPass(t *testing.T) {
	answers := []http.HandlerFunc{
		answer(503, wire.Problem{Error: "busy", Reason: wire.ReasonUnavailable}),
		answer(401, wire.Problem{Error: "expired", Reason: wire.ReasonUnauthenticated}),
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		answer(200, bundle.Start{StartUnixNanos: 42}),
	}
	var asked atomic.Int64
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		answers[asked.Add(1)-1](w, r)
	})
	start, err := c.AwaitStart(t.Context(), "uid", "a")
	if err != nil || start.StartUnixNanos != 42 || asked.Load() != 4 {
		t.Errorf("start %v after %d requests: %v", start, asked.Load(), err)
	}
}

func TestWaitingForAStartEndsWithATokenThatIsRefusedForGood(t *testing.T) {
	expired := answer(401, wire.Problem{Error: "the token is expired", Reason: wire.ReasonUnauthenticated})
	busy := answer(503, wire.Problem{Error: "busy", Reason: wire.ReasonUnavailable})
	var asked atomic.Int64
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 2 {
			busy(w, r) // which says nothing of the token: the time counts anew
			return
		}
		expired(w, r)
	})
	c.tokenPatience = repoll / 2
	_, err := c.AwaitStart(t.Context(), "uid", "a")
	if !errors.Is(err, ErrUnauthenticated) || !strings.Contains(err.Error(), "the token is expired") || asked.Load() != 4 {
		t.Errorf("after %d requests: %v", asked.Load(), err)
	}
}

func TestWaitingForAStartEndsWithTheContext(t *testing.T) {
	c := clientOf(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.AwaitStart(ctx, "uid", "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestTheTokenGoesToNoOtherServer(t *testing.T) {
	var reached atomic.Bool
	other := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer other.Close()
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) })
	if _, err := c.Time(t.Context()); err == nil || reached.Load() {
		t.Errorf("a redirect was followed: %v", err)
	}
}

func TestTheClockIsTakenFromTheShortestExchange(t *testing.T) {
	at := func(millis int64) time.Time { return time.UnixMilli(1_700_000_000_000 + millis) }
	hour := time.Hour.Milliseconds()
	for _, c := range []struct {
		what      string
		exchanges []exchange
		offset    time.Duration
		bound     time.Duration
	}{
		{"one", []exchange{{at(0), at(5), at(10)}}, 0, 5 * time.Millisecond},
		{"the server is ahead", []exchange{{at(0), at(hour + 5), at(10)}}, time.Hour, 5 * time.Millisecond},
		{"the server is behind", []exchange{{at(0), at(-hour + 5), at(10)}}, -time.Hour, 5 * time.Millisecond},
		{"the shortest of three", []exchange{{at(0), at(90), at(100)}, {at(200), at(203), at(204)}, {at(300), at(310), at(400)}},
			time.Millisecond, 2 * time.Millisecond},
	} {
		got := estimate(c.exchanges)
		if got.OffsetNanos != int64(c.offset) || got.BoundNanos != int64(c.bound)+1 {
			t.Errorf("%s: %+v, want %s ± %s", c.what, got, c.offset, c.bound)
		}
	}
}

func TestTheEstimatedClockHoldsTheTruth(t *testing.T) {
	const ahead = 90 * time.Minute
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		answer(200, wire.Time{UnixNanos: time.Now().Add(ahead).UnixNano()})(w, r)
	})
	clock, err := c.EstimateClock(t.Context(), 8)
	if err != nil {
		t.Fatal(err)
	}
	if wrong := time.Duration(clock.OffsetNanos) - ahead; wrong.Abs() > time.Duration(clock.BoundNanos) {
		t.Errorf("the offset is wrong by %s, and the bound is %s", wrong, time.Duration(clock.BoundNanos))
	}
}

// A worker's clock may be set while it measures: its own goes on.
func TestCertificatesRunOutByTheClientsOwnClock(t *testing.T) {
	ok := answer(200, wire.Time{UnixNanos: 1})
	for name, c := range map[string]struct {
		now   time.Time
		valid bool
	}{
		"today":                 {time.Now(), true},
		"before it was made":    {time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC), false},
		"long after it ran out": {time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC), false},
	} {
		_, err := clientOf(t, ok, func(config *Config) { config.Now = func() time.Time { return c.now } }).Time(t.Context())
		if (err == nil) != c.valid || err != nil && Transient(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAConfigurationThatCannotWorkIsRefused(t *testing.T) {
	token := func() (string, error) { return "token", nil }
	for name, config := range map[string]Config{
		"no address": {CA: []byte("x"), Token: token},
		"no TLS":     {URL: "http://host:1", Token: token},
		"no CA":      {URL: "https://host:1", Token: token},
		"no token":   {URL: "https://host:1", CA: []byte("x")},
	} {
		if _, err := New(config); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
