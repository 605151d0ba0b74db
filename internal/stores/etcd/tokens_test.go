package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/kvbench/kvbench/internal/stores"
)

var (
	errAway    = status.Error(codes.Unavailable, "connection refused")
	errForeign = status.Error(codes.Unavailable, "authentication handshake failed: x509: unknown authority")
	testTLS    = &tls.Config{MinVersion: tls.VersionTLS12}
	some       = &stores.Credentials{User: "root", Password: "x"}
)

func TestWhatRequestsCarryAfterAnAttempt(t *testing.T) {
	first, had := &token{}, &token{text: "old", usable: true}
	for name, c := range map[string]struct {
		last   *token
		err    error
		needed bool
		text   string
		usable bool
	}{
		"the first":                              {first, nil, true, "new", true},
		"another one":                            {had, nil, true, "new", true},
		"members are away":                       {had, errAway, true, "old", true},
		"members were never there":               {first, errAway, true, "", false},
		"no users, and certificates are enough":  {first, rpctypes.ErrGRPCAuthNotEnabled, false, "", true},
		"no users any more":                      {had, rpctypes.ErrGRPCAuthNotEnabled, false, "", true},
		"no users, where the run asks for them":  {first, rpctypes.ErrGRPCAuthNotEnabled, true, "", false},
		"no users any more, where it asks":       {had, rpctypes.ErrGRPCAuthNotEnabled, true, "", false},
		"another password":                       {first, rpctypes.ErrGRPCAuthFailed, true, "", false},
		"another password beside a certificate":  {first, rpctypes.ErrGRPCAuthFailed, false, "", false},
		"another password since, its token good": {had, rpctypes.ErrGRPCAuthFailed, true, "old", true},
	} {
		text := ""
		if c.err == nil {
			text = "new"
		}
		got := nextToken(c.last, text, c.err, c.needed)
		if got.text != c.text || got.usable != c.usable || (got.err == nil) != (c.err == nil || c.usable && c.text == "") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// clerk gives tokens as a script says, which has the number of the attempt, from 1 on.
type clerk struct {
	script func(n int) (string, error)

	mu    sync.Mutex
	asked []time.Time
}

func (c *clerk) ask(_ context.Context, user authenticator) (string, error) {
	if user != (authenticator{"root", "x"}) {
		return "", errors.New("somebody else asks")
	}
	c.mu.Lock()
	c.asked = append(c.asked, time.Now())
	n := len(c.asked)
	c.mu.Unlock()
	return c.script(n)
}

// spread lasts for ever: a member is cut off from the others.
func (c *clerk) spread(ctx context.Context) { <-ctx.Done() }

func (c *clerk) times() []time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.asked)
}

func (c *clerk) attempts() int { return len(c.times()) }

// withTokens runs tokens in virtual time.
func withTokens(t *testing.T, held *stores.Credentials, script func(n int) (string, error), do func(*testing.T, *tokens, *clerk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		users, server := newTokens(held), &clerk{script: script}
		defer inBackground(func(ctx context.Context) { users.run(ctx, source{server.ask, server.spread}) })()
		do(t, users, server)
	})
}

// send sends a request that a server answers so, with a deadline of 4 s, and tells the token that
// it had.
func send(t *testing.T, through grpc.UnaryClientInterceptor, answer error) (sent int, text string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	err = through(ctx, pb.KV_Put_FullMethodName, nil, nil, nil, func(ctx context.Context, _ string, _, _ any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
		sent++
		header, _ := metadata.FromOutgoingContext(ctx)
		text = strings.Join(header.Get("token"), "; ")
		return answer
	})
	return sent, text, err
}

func given(n int) (string, error) { return strings.Repeat("t", n), nil }

// A token that is renewed late is an outage that isn't the store's.
func TestATokenIsRenewedLongBeforeItEndsAndNobodyWaitsForIt(t *testing.T) {
	withTokens(t, some, given, func(t *testing.T, users *tokens, server *clerk) {
		for range 60 {
			begun := time.Now()
			if _, text, err := send(t, users.waiting, nil); err != nil || text == "" || time.Since(begun) > 0 {
				t.Fatalf("%q, %v after %v", text, err, time.Since(begun))
			}
			time.Sleep(time.Minute)
		}
		asked := server.times()
		for i := 1; i < len(asked); i++ {
			if gap := asked[i].Sub(asked[i-1]); gap > tokenEvery+tokenPause || gap < tokenEvery/2 {
				t.Errorf("attempt %d comes %v after the one before", i+1, gap)
			}
		}
		if n := len(asked); n < 20 {
			t.Errorf("%d attempts within an hour", n)
		}
	})
}

func TestATokenServesOnWhileThereIsNoOther(t *testing.T) {
	withTokens(t, some, func(n int) (string, error) {
		if n > 1 {
			return "", errAway
		}
		return "first", nil
	}, func(t *testing.T, users *tokens, server *clerk) {
		time.Sleep(5 * time.Minute)
		if _, text, err := send(t, users.waiting, nil); err != nil || text != "first" || server.attempts() < 10 {
			t.Errorf("%q, %v after %d attempts", text, err, server.attempts())
		}
	})
}

// What a member turned away for its token is its answer: it never took effect, and isn't sent again.
func TestARefusedTokenFailsTheRequestAndIsReplaced(t *testing.T) {
	for name, refusal := range map[string]error{
		"it has ended, or its member began anew": rpctypes.ErrGRPCInvalidAuthToken,
		"users were changed":                     rpctypes.ErrGRPCAuthOldRevision,
		"users are asked for since":              rpctypes.ErrGRPCUserEmpty,
	} {
		t.Run(name, func(t *testing.T) {
			slowly := func(n int) (string, error) {
				time.Sleep(tokenPause / 2)
				return given(n)
			}
			withTokens(t, some, slowly, func(t *testing.T, users *tokens, server *clerk) {
				time.Sleep(2 * tokenPause)
				held := users.newest.Load()
				inFlight := func(ctx context.Context, method string, request, answer any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
					return users.send(ctx, held, method, request, answer, conn, invoke, options...)
				}
				for range 100 {
					sent, text, err := send(t, inFlight, refusal)
					var told *stores.Error
					if sent != 1 || text != "t" || !errors.As(writeError(err), &told) || told.Outcome != stores.Failed {
						t.Fatalf("sent %d times with %q: %v", sent, text, err)
					}
					time.Sleep(tokenPause / 500) // they come until there is another one
				}
				time.Sleep(10 * tokenPause)
				if _, text, err := send(t, users.waiting, nil); err != nil || text != "tt" || server.attempts() != 2 {
					t.Errorf("then %q, %v after %d attempts", text, err, server.attempts())
				}
			})
		})
	}
	withTokens(t, some, given, func(t *testing.T, users *tokens, server *clerk) {
		time.Sleep(2 * tokenPause)
		_, _, _ = send(t, users.waiting, errAway)
		time.Sleep(2 * tokenPause)
		if n := server.attempts(); n != 1 {
			t.Errorf("%d attempts after another failure", n)
		}
	})
}

// Who has a good token is served on until all members have the next. Who hasn't waits, but not for
// ever: there may be members without the others.
func TestASimpleTokenIsUsedOnceAllMembersHaveItOrNotForLong(t *testing.T) {
	simple := func(n int) (string, error) { return fmt.Sprintf("simple.%d", n), nil }
	withTokens(t, some, simple, func(t *testing.T, users *tokens, _ *clerk) {
		begun := time.Now()
		if held, err := users.ready(t.Context()); err != nil || held.text != "simple.1" || time.Since(begun) != spreadTimeout {
			t.Errorf("the first one after %v: %v", time.Since(begun), err)
		}
		time.Sleep(2 * tokenPause)
		held, begun := users.newest.Load(), time.Now()
		for users.newest.Load() == held { // it is refused all the time
			_, _, _ = send(t, users.waiting, rpctypes.ErrGRPCInvalidAuthToken)
			time.Sleep(time.Millisecond)
		}
		if took := time.Since(begun).Truncate(10 * time.Millisecond); took != spreadTimeout {
			t.Errorf("another one %v after the first was refused", took)
		}
		for held = users.newest.Load(); users.newest.Load() == held; time.Sleep(time.Second) {
			if _, text, err := send(t, users.waiting, nil); err != nil || text != "simple.2" {
				t.Fatalf("%q, %v, while there is no other", text, err)
			}
		}
	})
	// One that is due, and refused while members are waited for.
	withTokens(t, some, simple, func(t *testing.T, users *tokens, server *clerk) {
		for server.attempts() < 2 {
			time.Sleep(time.Second)
		}
		asked, held := server.times()[1], users.newest.Load()
		_, _, _ = send(t, users.waiting, rpctypes.ErrGRPCInvalidAuthToken)
		<-held.next
		if took := time.Since(asked); took < spreadTimeout || took > 2*spreadTimeout {
			t.Errorf("another one after %v", took)
		}
	})
	withTokens(t, some, simple, func(t *testing.T, users *tokens, server *clerk) {
		for server.attempts() < 2 {
			time.Sleep(time.Second)
		}
		asked, held := server.times()[1], users.newest.Load()
		<-held.next
		if took := time.Since(asked); took != tokenTimeout {
			t.Errorf("another one %v after it was due, while the last one served", took)
		}
	})
}

func TestARequestWaitsForTheFirstTokenUntilItsDeadline(t *testing.T) {
	for name, c := range map[string]struct {
		script func(n int) (string, error)
		took   time.Duration
		code   string // "" is sent
		says   string
	}{
		"members come": {func(n int) (string, error) {
			if n < 5 {
				return "", errAway
			}
			return "t", nil
		}, 4 * tokenPause, "", ""},
		"members are away":     {func(int) (string, error) { return "", errAway }, 4 * time.Second, "NoToken", "connection refused"},
		"another authority":    {func(int) (string, error) { return "", errForeign }, tokenPause, "NoToken", "x509: "},
		"another password":     {func(int) (string, error) { return "", rpctypes.ErrGRPCAuthFailed }, tokenPause, "AuthFailed", "invalid user ID or password"},
		"members have no user": {func(int) (string, error) { return "", rpctypes.ErrGRPCAuthNotEnabled }, tokenPause, "AuthNotEnabled", "not enabled"},
	} {
		t.Run(name, func(t *testing.T) {
			withTokens(t, some, c.script, func(t *testing.T, users *tokens, _ *clerk) {
				synctest.Wait() // the first attempt is made
				begun := time.Now()
				sent, _, err := send(t, users.waiting, nil)
				if took := time.Since(begun); took != c.took || (sent == 1) != (c.code == "") {
					t.Errorf("sent %d times after %v: %v", sent, took, err)
				}
				if c.code == "" {
					return
				}
				var told *stores.Error
				if !errors.As(writeError(err), &told) || told.Code != c.code || told.Outcome != stores.Failed || !strings.Contains(told.Error(), c.says) {
					t.Errorf("%v", told)
				}
			})
		})
	}
}

// Members whose certificates are enough are asked once: what they do else is measured.
func TestMembersWithoutUsersAreAskedOnce(t *testing.T) {
	held := &stores.Credentials{User: "root", Password: "x", TLS: testTLS}
	withTokens(t, held, func(int) (string, error) { return "", rpctypes.ErrGRPCAuthNotEnabled }, func(t *testing.T, users *tokens, server *clerk) {
		time.Sleep(time.Hour)
		if sent, text, err := send(t, users.waiting, nil); sent != 1 || text != "" || err != nil || server.attempts() != 1 || users.trouble() != "" {
			t.Errorf("%q, %v after %d attempts: %s", text, err, server.attempts(), users.trouble())
		}
	})
}

func TestWhyMembersAreNotWhatTheRunAsksFor(t *testing.T) {
	certificates := &stores.Credentials{User: "root", Password: "x", TLS: testTLS}
	for name, c := range map[string]struct {
		held *stores.Credentials
		err  error
		says string
	}{
		"they gave a token":                    {some, nil, ""},
		"they were not asked yet":              {some, errAway, "NoToken: "},
		"another password":                     {some, rpctypes.ErrGRPCAuthFailed, "Unauthorized: etcdserver: authentication failed"},
		"no user":                              {some, rpctypes.ErrGRPCUserEmpty, "Unauthorized: etcdserver: user name is empty"},
		"users are not enabled":                {some, rpctypes.ErrGRPCAuthNotEnabled, "Unauthorized: etcdserver: authentication is not enabled"},
		"certificates, and nobody was asked":   {certificates, errAway, "NoToken: "},
		"certificates, and no users":           {certificates, rpctypes.ErrGRPCAuthNotEnabled, ""},
		"certificates, and another password":   {certificates, rpctypes.ErrGRPCAuthFailed, "Unauthorized: "},
		"a certificate of another authority":   {certificates, status.Error(codes.Unavailable, "tls: unknown certificate authority"), "Unauthorized: tls: "},
		"what is no token":                     {some, errors.New("a token of 9000 bytes"), "NoToken: "},
		"certificates alone":                   {&stores.Credentials{TLS: testTLS}, nil, ""},
		"nothing, of members who want nothing": {nil, nil, ""},
		"certificates, and a token for a user": {certificates, nil, ""},
	} {
		users := newTokens(c.held)
		if users != nil {
			users.newest.Store(nextToken(users.newest.Load(), "t", c.err, users.needed))
		}
		if got := users.trouble(); (got == "") != (c.says == "") || !strings.HasPrefix(got, c.says) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
