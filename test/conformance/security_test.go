package conformance

import (
	"context"
	"crypto/tls"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/credentials"
	"github.com/kvbench/kvbench/internal/stores"
)

// secrets are what a run's Secret has, as files.
type secrets struct {
	folder string
	level  string
	files  map[string][]byte
}

// makeSecrets makes them as the controller does, for servers on loopback, and at those hosts; nil for
// no security.
func makeSecrets(t testing.TB, entry *stores.Entry, level string, hosts ...string) *secrets {
	t.Helper()
	if level == stores.SecurityNone {
		return nil
	}
	files, err := credentials.Make(level, entry.Security.User, hosts, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	made := &secrets{folder: t.TempDir(), level: level, files: files}
	for name, content := range files {
		if err := os.WriteFile(made.path(name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return made
}

func (s *secrets) path(name string) string { return filepath.Join(s.folder, name) }

// credentials are a client's, with other files in place of its own.
func (s *secrets) credentials(t testing.TB, others map[string][]byte) *stores.Credentials {
	t.Helper()
	if s == nil {
		return nil
	}
	files := map[string][]byte{}
	for name, content := range s.files {
		files[name] = content
	}
	for name, content := range others {
		files[name] = content
	}
	made, err := stores.NewCredentials(s.level, files)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// stranger is somebody who isn't to get in.
type stranger struct {
	credentials *stores.Credentials
	says        string // what the driver's error has, without regard to case
	// vague: what the servers do looks as if they were away.
	vague bool
}

// Strangers shows that the store serves nobody with other credentials, and that driver and
// observer say so.
func Strangers(t *testing.T, target Target, strangers map[string]stranger) {
	const patience = 2 * time.Second // for those whose client waits for a sound connection
	_, session := open(t, target)
	do(t, session, stores.Op{Kind: stores.Insert, Table: "strangers", Key: []byte("k"), Values: record("mine")})
	for name, who := range strangers {
		t.Run(name, func(t *testing.T) {
			theirs := target
			theirs.Config.Credentials = who.credentials
			driver, session := open(t, theirs)
			// A busy server may take seconds over a password.
			ctx, cancel := context.WithTimeout(t.Context(), opTimeout/2)
			defer cancel()
			if err := driver.Ping(ctx); err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(who.says)) {
				t.Errorf("ping: %v, want %q", err, who.says)
			}
			for _, op := range []stores.Op{
				{Kind: stores.Read, Table: "strangers", Key: []byte("k")},
				{Kind: stores.Update, Table: "strangers", Key: []byte("k"), Values: record("theirs")},
			} {
				op.Deadline = time.Now().Add(patience)
				if err := session.Do(&op); err == nil {
					t.Errorf("%v: was served", op.Kind)
				}
			}
			observer := observe(t, theirs)
			defer observer.Close()
			// A password may take longer than a sample.
			settle(t, observer, "that all refuse", func(states []stores.MemberState) bool {
				return !slices.ContainsFunc(states, func(state stores.MemberState) bool {
					if state.Healthy {
						t.Errorf("the observer sees %+v", state)
					}
					return state.Error == "" || !who.vague && !strings.HasPrefix(state.Error, stores.CodeUnauthorized)
				})
			})
		})
	}
	read := do(t, session, stores.Op{Kind: stores.Read, Table: "strangers", Key: []byte("k")})
	if !sameFields(read.Result, record("mine")) {
		t.Errorf("a stranger wrote %v", read.Result)
	}
}

// Impostors shows that the driver talks to no server whose certificate is of the right authority
// and not of its name. hear takes what a client says before it encrypts.
func Impostors(t *testing.T, target Target, held *secrets, hear func(net.Conn) error) {
	pair, err := tls.X509KeyPair(held.files[credentials.FilePeerCert], held.files[credentials.FilePeerKey])
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	talked := make(chan struct{}, 100)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if hear(conn) == nil && tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{pair}}).Handshake() == nil {
					talked <- struct{}{}
				}
			}()
		}
	}()
	config := target.Config
	config.Addresses, config.Names = []string{listener.Addr().String()}, []string{"impostor"}
	driver, err := target.Entry.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	defer driver.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if err := driver.Ping(ctx); err == nil || !strings.Contains(err.Error(), "cannot validate certificate for 127.0.0.1") {
		t.Errorf("ping: %v", err)
	}
	if len(talked) > 0 {
		t.Error("the driver went on after the certificate")
	}
}

// NoticesRestarts shows that a session which did nothing while its members were restarted looks at
// its connection before it sends, also below TLS: else each would fail once more with security.
func NoticesRestarts(t *testing.T, target Target, cluster *servers) {
	_, session := open(t, target)
	do(t, session, stores.Op{Kind: stores.Insert, Table: "restarts", Key: []byte("k"), Values: record("x")})
	for member := range cluster.members {
		cluster.Kill(t, member)
		cluster.Start(t, member)
	}
	cluster.await(t, target)
	observer := observe(t, target)
	defer observer.Close()
	settle(t, observer, "all healthy again", allHealthy)
	do(t, session, stores.Op{Kind: stores.Insert, Table: "restarts", Key: []byte("k"), Values: record("y")})
}
