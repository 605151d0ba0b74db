package conformance

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/kvbench/kvbench/internal/credentials"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// etcdSecurity is what the chart sets as well.
func etcdSecurity(held *secrets) (args []string) {
	if held.level == stores.SecurityAuth {
		return []string{"--auth-token=jwt,priv-key=" + held.path(credentials.FileTokenKey) + ",sign-method=HS256,ttl=10m"}
	}
	for _, whose := range []string{"", "peer-"} {
		args = append(args,
			"--"+whose+"cert-file="+held.path(credentials.FileServerCert), "--"+whose+"key-file="+held.path(credentials.FileServerKey),
			"--"+whose+"trusted-ca-file="+held.path(stores.FileCA), "--"+whose+"client-cert-auth=true",
			"--"+whose+"client-cert-file="+held.path(credentials.FilePeerCert), "--"+whose+"client-key-file="+held.path(credentials.FilePeerKey))
	}
	return append(args, "--peer-cert-allowed-cn="+credentials.PeerName)
}

// usersOfMembers are what a member needs to be taken in again.
func (s *secrets) usersOfMembers(t testing.TB) *stores.Credentials {
	if s == nil || s.level != stores.SecurityAuth {
		return nil
	}
	return s.credentials(t, nil)
}

func TestEtcdWithUsers(t *testing.T) {
	t.Parallel()
	entry, _ := catalog.Find("etcd")
	held := makeSecrets(t, entry, stores.SecurityAuth)
	cluster := startEtcd(t, 3, held)
	target := Target{Entry: entry, Config: cluster.config}
	t.Run("nobody measures before they are made", func(t *testing.T) { isNotReadyWithoutUsers(t, target) })
	repaired := repairs(t, target)
	cluster.await(t, target)
	t.Run("driver", func(t *testing.T) { Driver(t, inWholeRecords(target)) })
	t.Run("observer", func(t *testing.T) { Observer(t, target, cluster) })
	t.Run("batches", func(t *testing.T) { Batches(t, inWholeRecords(target)) })
	t.Run("usage", func(t *testing.T) {
		Usage(t, target, func(u stores.Usage) bool { return u.ResidentBytes != nil && u.DataBytes != nil })
	})
	t.Run("strangers", func(t *testing.T) {
		Strangers(t, target, map[string]stranger{
			"another password": {held.credentials(t, map[string][]byte{stores.FilePassword: []byte("guessed")}), "invalid user ID or password", false},
			"another user":     {held.credentials(t, map[string][]byte{stores.FileUser: []byte("kvbench")}), "invalid user ID or password", false},
			"no user":          {nil, "user name is empty", false},
		})
	})
	t.Run("a command line's user", func(t *testing.T) {
		theirs := target
		theirs.Config.Credentials = nil
		theirs.Config.Properties = map[string]string{"user": "root", "password": string(held.files[stores.FilePassword])}
		_, session := open(t, theirs)
		do(t, session, stores.Op{Kind: stores.Insert, Table: "users", Key: []byte("k"), Values: record("x")})
	})
	t.Run("without a majority", func(t *testing.T) { seesAMemberWithoutAMajority(t, target, cluster) })
	t.Run("an old token", func(t *testing.T) {
		takesAnotherToken(t, target, []string{"AuthOldRevision"}, func() error {
			_, err := administrator(t, target, held).UserAdd(t.Context(), "another", "x")
			return err
		})
	})
	t.Run("restarts", func(t *testing.T) { NoticesRestarts(t, target, cluster) })
	t.Run("recovery", func(t *testing.T) { Recovery(t, target, cluster) })
	t.Run("without its data", func(t *testing.T) { rejoins(t, target, cluster) })
	if got := repaired(); len(got) == 0 || got[0] != "made the user root, and enabled authentication" {
		t.Errorf("the observer tells %q", got)
	}
}

// isNotReadyWithoutUsers shows that members which let everybody in are not what was asked for, whatever
// they answer.
func isNotReadyWithoutUsers(t *testing.T, target Target) {
	observer := observe(t, target)
	defer observer.Close()
	settle(t, observer, "all there, and nobody healthy", func(states []stores.MemberState) bool {
		for _, state := range states {
			if state.Role == stores.MemberUnknown || state.Healthy || !strings.Contains(state.Error, "authentication is not enabled") {
				return false
			}
		}
		return true
	})
	driver, session := open(t, target)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if err := driver.Ping(ctx); err == nil || !strings.Contains(err.Error(), "authentication is not enabled") {
		t.Errorf("ping: %v", err)
	}
	op := stores.Op{Kind: stores.Insert, Table: "early", Key: []byte("k"), Values: record("x"), Deadline: time.Now().Add(time.Second)}
	var failure *stores.Error
	if err := session.Do(&op); !errors.As(err, &failure) || failure.Outcome != stores.Failed {
		t.Errorf("a write: %v", err)
	}
}

func TestEtcdWithTLS(t *testing.T) {
	t.Parallel()
	entry, _ := catalog.Find("etcd")
	held := makeSecrets(t, entry, stores.SecurityTLS)
	cluster := startEtcd(t, 3, held)
	target := Target{Entry: entry, Config: cluster.config}
	cluster.await(t, target)
	t.Run("driver", func(t *testing.T) { Driver(t, inWholeRecords(target)) })
	t.Run("observer", func(t *testing.T) { Observer(t, target, cluster) })
	t.Run("usage", func(t *testing.T) {
		Usage(t, target, func(u stores.Usage) bool { return u.ResidentBytes != nil && u.DataBytes != nil })
	})
	t.Run("strangers", func(t *testing.T) { Strangers(t, target, strangersToTLS(t, target, held)) })
	t.Run("impostors", func(t *testing.T) { Impostors(t, target, held, func(net.Conn) error { return nil }) })
	t.Run("peers", func(t *testing.T) { letsNoClientBeAMember(t, cluster, held) })
	t.Run("a command line's files", func(t *testing.T) {
		config := target.Config
		config.Credentials, config.Properties = nil, map[string]string{
			"cacert_file": held.path(stores.FileCA), "cert_file": held.path(stores.FileClientCert), "key_file": held.path(stores.FileClientKey),
		}
		_, session := open(t, Target{Entry: entry, Config: config})
		do(t, session, stores.Op{Kind: stores.Insert, Table: "files", Key: []byte("k"), Values: record("x")})
	})
	t.Run("recovery", func(t *testing.T) { Recovery(t, target, cluster) })
	// The end-to-end tests do it in plain text.
	t.Run("without its data", func(t *testing.T) { rejoins(t, target, cluster) })
}

// An etcd of somebody's own may have users beside certificates, and other tokens.
func TestEtcdWithTLSAndUsers(t *testing.T) {
	t.Parallel()
	entry, _ := catalog.Find("etcd")
	held := makeSecrets(t, entry, stores.SecurityTLS)
	cluster := startEtcd(t, 3, held)
	target := Target{Entry: entry, Config: cluster.config}
	target.Config.Shared = true
	cluster.await(t, target)
	client := administrator(t, target, held)
	driver, session := open(t, target) // before there are users
	fill(t, session, "users", 5)
	_, one := client.UserAdd(t.Context(), "root", string(held.files[stores.FilePassword]))
	_, two := client.UserGrantRole(t.Context(), "root", "root")
	_, three := client.AuthEnable(t.Context())
	if err := errors.Join(one, two, three); err != nil {
		t.Fatal(err)
	}
	t.Run("strangers", func(t *testing.T) {
		Strangers(t, target, map[string]stranger{
			"another password": {held.credentials(t, map[string][]byte{stores.FilePassword: []byte("guessed")}), "invalid user ID or password", false},
			"another user":     {held.credentials(t, map[string][]byte{stores.FileUser: []byte("kvbench")}), "invalid user ID or password", false},
		})
	})
	t.Run("a certificate alone", func(t *testing.T) { // its common name is the user's
		theirs := target
		theirs.Config.Credentials = held.credentials(t, map[string][]byte{stores.FilePassword: nil})
		_, session := open(t, theirs)
		do(t, session, stores.Op{Kind: stores.Insert, Table: "users", Key: []byte("k"), Values: record("x")})
	})
	t.Run("who was there before", func(t *testing.T) {
		if err := driver.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("observer", func(t *testing.T) { Observer(t, target, cluster) })
	t.Run("a token just given", func(t *testing.T) { everyMemberTakesIt(t, target) })
	// There is no recovery without a failure: a member that begins anew has forgotten simple tokens.
	t.Run("an ended token", func(t *testing.T) {
		// A member that doesn't know of it yet takes the token, and sends a write that is old to all.
		takesAnotherToken(t, target, []string{"InvalidAuthToken", "AuthOldRevision"}, func() error {
			_, err := client.UserChangePassword(t.Context(), "root", string(held.files[stores.FilePassword]))
			return err
		})
	})
}

// seesAMemberWithoutAMajority shows that the observer is known to a member that can ask nobody else.
func seesAMemberWithoutAMajority(t *testing.T, target Target, cluster *servers) {
	observer := observe(t, target)
	defer observer.Close()
	settle(t, observer, "all healthy", allHealthy)
	for _, member := range []int{1, 2} {
		cluster.Kill(t, member)
	}
	settle(t, observer, "one there without a leader", func(states []stores.MemberState) bool {
		return states[0].Role != stores.MemberUnknown && !states[0].Healthy && states[0].Leader == "" && states[1].Role == stores.MemberUnknown
	})
	for _, member := range []int{1, 2} {
		cluster.Start(t, member)
	}
	settle(t, observer, "all healthy again", allHealthy)
}

// everyMemberTakesIt shows that the first requests with a token are served by all members, those that
// are behind with others' writes as well.
func everyMemberTakesIt(t *testing.T, target Target) {
	var writers sync.WaitGroup
	done := make(chan struct{})
	defer func() {
		close(done)
		writers.Wait()
	}()
	for i := range 4 {
		_, session := open(t, target)
		writers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				op := stores.Op{Kind: stores.Insert, Table: "others", Key: fmt.Append(nil, i), Values: record("x"), Deadline: time.Now().Add(opTimeout)}
				if err := session.Do(&op); err != nil {
					t.Errorf("beside it: %v", err)
					return
				}
			}
		})
	}
	for i := range 25 {
		t.Run(fmt.Sprint("client ", i), func(t *testing.T) {
			_, session := open(t, target)
			for range target.Config.Addresses { // in turn
				do(t, session, stores.Op{Kind: stores.Insert, Table: "tokens", Key: []byte("k"), Values: record("x")})
			}
		})
	}
}

// takesAnotherToken shows that an operation which a member refuses for its token failed for certain,
// and that later ones are served. change ends the tokens that there are.
func takesAnotherToken(t *testing.T, target Target, codes []string, change func() error) {
	_, session := open(t, target)
	do(t, session, stores.Op{Kind: stores.Insert, Table: "tokens", Key: []byte("k"), Values: record("x")})
	if err := change(); err != nil {
		t.Fatal(err)
	}
	limit := time.NewTimer(settleTimeout)
	defer limit.Stop()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for refused := false; ; {
		op := stores.Op{Kind: stores.Update, Table: "tokens", Key: []byte("k"), Values: record("y"), Deadline: time.Now().Add(opTimeout)}
		err := session.Do(&op)
		if err == nil && refused {
			return
		}
		var failure *stores.Error
		if !errors.As(err, &failure) || !slices.Contains(codes, failure.Code) || failure.Outcome != stores.Failed {
			t.Fatalf("%v, want one of %v, and another token then", err, codes)
		}
		refused = true
		select {
		case <-again.C:
		case <-limit.C:
			t.Fatalf("not within %v: another token", settleTimeout)
		}
	}
}

// administrator is one beside the run.
func administrator(t *testing.T, target Target, held *secrets) *clientv3.Client {
	config := clientv3.Config{Endpoints: target.Config.Addresses, DialTimeout: opTimeout}
	if held.level == stores.SecurityTLS {
		config.TLS = held.credentials(t, nil).TLS
	} else {
		config.Username, config.Password = "root", string(held.files[stores.FilePassword])
	}
	client, err := clientv3.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// strangersToTLS have certificates of another run, believe in another run's authority, or come
// in plain text.
func strangersToTLS(t *testing.T, target Target, held *secrets) map[string]stranger {
	other := makeSecrets(t, target.Entry, stores.SecurityTLS)
	return map[string]stranger{
		"plain text": {nil, "balancer error", true},
		"a certificate of another authority": {held.credentials(t, map[string][]byte{
			stores.FileClientCert: other.files[stores.FileClientCert], stores.FileClientKey: other.files[stores.FileClientKey],
		}), "balancer error", true}, // the reason may come after the end of the connection
		"another authority for the servers": {held.credentials(t, map[string][]byte{stores.FileCA: other.files[stores.FileCA]}), "unknown authority", false},
	}
}

// letsNoClientBeAMember shows that a worker's certificate doesn't open the members' own port. With
// TLS 1.3 a server's refusal comes after the handshake, with the first read.
func letsNoClientBeAMember(t *testing.T, cluster *servers, held *secrets) {
	member := tls.Config{RootCAs: held.credentials(t, nil).TLS.RootCAs, MinVersion: tls.VersionTLS12}
	pair, err := tls.X509KeyPair(held.files[credentials.FilePeerCert], held.files[credentials.FilePeerKey])
	if err != nil {
		t.Fatal(err)
	}
	member.Certificates = []tls.Certificate{pair}
	for name, c := range map[string]struct {
		config *tls.Config
		served bool
	}{"a client": {held.credentials(t, nil).TLS, false}, "a member": {&member, true}} {
		conn, err := tls.DialWithDialer(&net.Dialer{Timeout: opTimeout}, "tcp", cluster.peers[0], c.config)
		if err == nil {
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(opTimeout))
			if _, err = conn.Write([]byte("GET /version HTTP/1.1\r\nHost: x\r\n\r\n")); err == nil {
				_, err = conn.Read(make([]byte, 1))
			}
		}
		if served := err == nil; served != c.served {
			t.Errorf("%s: served %v, %v", name, served, err)
		}
	}
}
