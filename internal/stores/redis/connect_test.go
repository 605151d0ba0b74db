package redis

import (
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/redis/resp"
)

// sessionAs is a session of a store that has this one server, with a password.
func sessionAs(t *testing.T, server *fake, credentials *stores.Credentials) *session {
	t.Helper()
	s := sessionOf(t, server.address, 0)
	s.links = newLinks(credentials, 0, 1)
	return s
}

func TestAServerIsToldWhoAsksBeforeAnythingElse(t *testing.T) {
	for name, c := range map[string]struct {
		credentials *stores.Credentials
		first       []string
	}{
		"nobody":                    {nil, nil},
		"a user":                    {&stores.Credentials{User: "somebody", Password: "s3cret"}, []string{"AUTH somebody s3cret"}},
		"a password alone":          {&stores.Credentials{Password: "s3cret"}, []string{"AUTH s3cret"}},
		"a name without a password": {&stores.Credentials{User: "somebody"}, nil},
	} {
		server := startFake(t, map[string]string{"AUTH": ok, "HSET": ":1\r\n"})
		s := sessionAs(t, server, c.credentials)
		for range 2 {
			if err := s.Do(anOp(stores.Update, 10*time.Second)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		const update = "HSET t/user1 field0 a"
		if want := slices.Concat(c.first, []string{update, update}); !slices.Equal(server.commands(), want) {
			t.Errorf("%s: the server saw %q, want %q", name, server.commands(), want)
		}
	}
}

// A server that doesn't know AUTH repeats what it was sent.
func TestARefusedPasswordIsInNoError(t *testing.T) {
	for _, answer := range []string{
		"-WRONGPASS invalid username-password pair or user is disabled.\r\n",
		"-ERR unknown command `AUTH`, with args beginning with: `default`, `s3cret`\r\n",
	} {
		server := startFake(t, map[string]string{"AUTH": answer, "HSET": ":1\r\n"})
		s := sessionAs(t, server, &stores.Credentials{User: "default", Password: "s3cret"})
		begun := time.Now()
		for range 3 {
			var failure *stores.Error
			if err := s.Do(anOp(stores.Update, 10*time.Second)); !errors.As(err, &failure) || failure.Outcome != stores.Failed ||
				failure.Code != stores.CodeUnauthorized || failure.Answered || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%v", err)
			}
		}
		// As where nobody listens: at once, after 50 ms, and after 100 ms more.
		if took := time.Since(begun); took < 150*time.Millisecond {
			t.Errorf("three attempts in %v", took)
		}
		if slices.ContainsFunc(server.commands(), func(command string) bool { return strings.HasPrefix(command, "HSET") }) {
			t.Errorf("it went on: %q", server.commands())
		}
	}
}

func TestAServerThatIsFullRefusesNoPassword(t *testing.T) {
	server := startFake(t, map[string]string{"AUTH": "-ERR max number of clients reached\r\n"})
	s := sessionAs(t, server, &stores.Credentials{Password: "s3cret"})
	var failure *stores.Error
	if err := s.Do(anOp(stores.Update, 10*time.Second)); !errors.As(err, &failure) || failure.Code != stores.CodeNoConnection || failure.Outcome != stores.Failed {
		t.Errorf("%v", err)
	}
}

func TestWhatDoesNotFitIsCalledUnauthorized(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"a password":              {fmt.Errorf("ping: %w", errUnauthorized), stores.CodeUnauthorized},
		"a server's certificate":  {&tls.CertificateVerificationError{Err: errors.New("x509: unknown authority")}, stores.CodeUnauthorized},
		"a client's certificate":  {tls.AlertError(116), stores.CodeUnauthorized}, // certificate required
		"a server in plain text":  {tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, stores.CodeUnauthorized},
		"no password":             {fmt.Errorf("the Sentinel knows no primary: %w", resp.Error("NOAUTH Authentication required.")), stores.CodeUnauthorized},
		"a server that loads":     {fmt.Errorf("ping: %w", resp.Error("LOADING Redis is loading the dataset")), "LOADING"},
		"a server that is away":   {&stores.ConnectError{Err: errors.New("connection refused")}, stores.CodeNoConnection},
		"a connection that ended": {errors.New("EOF"), stores.CodeConnectionLost},
	} {
		if got := codeOf(c.err); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	state := memberState(&look{info: info{primary: true}, unguarded: errUnauthorized}, 2)
	if state.Healthy || !strings.HasPrefix(state.Error, stores.CodeUnauthorized) {
		t.Errorf("a Sentinel that refuses: %+v", state)
	}
}
