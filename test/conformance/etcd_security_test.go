package conformance

import (
	"crypto/tls"
	"net"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/credentials"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// etcdSecurity is what the chart sets as well.
func etcdSecurity(held *secrets) (args []string) {
	for _, whose := range []string{"", "peer-"} {
		args = append(args,
			"--"+whose+"cert-file="+held.path(credentials.FileServerCert), "--"+whose+"key-file="+held.path(credentials.FileServerKey),
			"--"+whose+"trusted-ca-file="+held.path(stores.FileCA), "--"+whose+"client-cert-auth=true",
			"--"+whose+"client-cert-file="+held.path(credentials.FilePeerCert), "--"+whose+"client-key-file="+held.path(credentials.FilePeerKey))
	}
	return append(args, "--peer-cert-allowed-cn="+credentials.PeerName)
}

func TestEtcdWithTLS(t *testing.T) {
	t.Parallel()
	entry, _ := catalog.Find("etcd")
	held := makeSecrets(t, entry, stores.SecurityTLS)
	cluster := startEtcd(t, 3, held)
	target := Target{Entry: entry, Config: cluster.config}
	cluster.await(t, target)
	t.Run("driver", func(t *testing.T) { Driver(t, target) })
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
