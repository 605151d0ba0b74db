package conformance

import (
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/credentials"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/cassandra"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// cassandraSecurity is what the chart adds to the members' file as well.
func cassandraSecurity(held *secrets) string {
	if held == nil {
		return ""
	}
	text := `authenticator: PasswordAuthenticator
authorizer: CassandraAuthorizer
auth_read_consistency_level: LOCAL_ONE
`
	if held.level == stores.SecurityTLS {
		keys := fmt.Sprintf(`
  ssl_context_factory: {class_name: org.apache.cassandra.security.PEMBasedSslContextFactory}
  keystore: %s
  truststore: %s
  require_client_auth: true
`, held.path(credentials.FileServerPEM), held.path(stores.FileCA))
		text += "client_encryption_options:" + keys + "  enabled: true\n  optional: false\n" +
			"server_encryption_options:" + keys + "  internode_encryption: all\n" + `internode_authenticator:
  class_name: org.apache.cassandra.auth.MutualTlsInternodeAuthenticator
  parameters: {validator_class_name: org.apache.cassandra.auth.SpiffeCertificateValidator, trusted_peer_identities: "` + credentials.PeerID + `"}
`
	}
	return text
}

// cassandraFlags are what the chart adds to the command line as well, of so many members.
func cassandraFlags(held *secrets, members int) []string {
	if held == nil {
		return nil
	}
	return []string{fmt.Sprintf("-Dcassandra.system_auth.default_rf=%d", members), "-Dcassandra.superuser_setup_delay_ms=1000"}
}

// TLS has all that Auth has, between three members.
func TestCassandraWithSecurity(t *testing.T) {
	t.Run(stores.SecurityAuth, func(t *testing.T) { testCassandraWithSecurity(t, stores.SecurityAuth, 1) })
	t.Run(stores.SecurityTLS, func(t *testing.T) {
		target, cluster, held := testCassandraWithSecurity(t, stores.SecurityTLS, 3)
		t.Run("impostors", func(t *testing.T) { Impostors(t, target, held, func(net.Conn) error { return nil }) })
		t.Run("peers", func(t *testing.T) { letsNoClientBeAMemberOfCassandra(t, cluster, held) })
		t.Run("recovery", func(t *testing.T) { Recovery(t, target, cluster) })
		t.Run("a quorum goes on without a member", func(t *testing.T) { keepsAQuorum(t, target, &cluster.servers) })
		t.Run("restarts", func(t *testing.T) { NoticesRestarts(t, target, &cluster.servers) })
	})
}

func testCassandraWithSecurity(t *testing.T, level string, members int) (Target, *cassandraServers, *secrets) {
	entry, _ := catalog.Find("cassandra")
	held := makeSecrets(t, entry, level, "127.0.0.2", "127.0.0.3")
	target, cluster := startCassandra(t, members, held)
	t.Run("driver", func(t *testing.T) { Driver(t, withModes(target, cassandra.ModeQuorum)) })
	t.Run("driver, shared connections", func(t *testing.T) { Driver(t, Sharing(withModes(target, cassandra.ModeQuorum))) })
	t.Run("observer and usage", func(t *testing.T) {
		tellsItsTables(t, target, func() { Observer(t, target, cluster) })
	})
	t.Run("strangers", func(t *testing.T) { Strangers(t, target, strangersToCassandra(t, held)) })
	return target, cluster, held
}

// withModes is the store without its other modes.
func withModes(target Target, names ...string) Target {
	entry := *target.Entry
	entry.Modes = slices.DeleteFunc(slices.Clone(entry.Modes), func(m stores.Mode) bool { return !slices.Contains(names, m.Name) })
	target.Entry = &entry
	return target
}

func strangersToCassandra(t *testing.T, held *secrets) map[string]stranger {
	everybodys := map[string][]byte{stores.FileUser: []byte("cassandra"), stores.FilePassword: []byte("cassandra")}
	strangers := map[string]stranger{
		"another password":         {held.credentials(t, map[string][]byte{stores.FilePassword: []byte("guessed")}), "are incorrect", false},
		"another user":             {held.credentials(t, map[string][]byte{stores.FileUser: []byte("somebody")}), "are incorrect", false},
		"Cassandra's own password": {held.credentials(t, everybodys), "are incorrect", false},
	}
	if held.level == stores.SecurityAuth {
		strangers["no password"] = stranger{nil, "ask for a user and a password", false}
		return strangers
	}
	other, plain := makeSecrets(t, &stores.Entry{}, stores.SecurityTLS), held.credentials(t, nil)
	plain.TLS = nil
	strangers["plain text"] = stranger{plain, "", true}
	strangers["a certificate of another authority"] = stranger{held.credentials(t, map[string][]byte{
		stores.FileClientCert: other.files[stores.FileClientCert], stores.FileClientKey: other.files[stores.FileClientKey],
	}), "", true}
	strangers["another authority for the servers"] = stranger{held.credentials(t, map[string][]byte{stores.FileCA: other.files[stores.FileCA]}), "unknown authority", false}
	return strangers
}

// letsNoClientBeAMemberOfCassandra shows that a worker's certificate doesn't open the members' own port.
func letsNoClientBeAMemberOfCassandra(t *testing.T, cluster *cassandraServers, held *secrets) {
	client := held.credentials(t, nil).TLS
	pair, err := tls.X509KeyPair(held.files[credentials.FileServerPEM], held.files[credentials.FileServerPEM])
	if err != nil {
		t.Fatal(err)
	}
	member := &tls.Config{RootCAs: client.RootCAs, Certificates: []tls.Certificate{pair}}
	for name, c := range map[string]struct {
		config *tls.Config
		served bool
	}{"a client": {client, false}, "a member": {member, true}} {
		conn, err := tls.DialWithDialer(&net.Dialer{Timeout: opTimeout}, "tcp", cluster.peers[0], c.config)
		if err == nil {
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(opTimeout))
			if _, err = conn.Write(internodeInitiate()); err == nil {
				_, err = io.ReadFull(conn, make([]byte, 4))
			}
		}
		if served := err == nil; served != c.served {
			t.Errorf("%s: served %v, %v", name, served, err)
		}
	}
}

// internodeInitiate is how a member begins to talk to another one (HandshakeProtocol.Initiate): for
// urgent messages without compression, in the versions 4.0 to 5.0 of the protocol, from 127.0.0.9:7000.
func internodeInitiate() []byte {
	const magic, urgent, crcFraming, v40, v50 = 0xCA552DFA, 1, 2 << 3, 12, 13
	message := binary.BigEndian.AppendUint32(nil, magic)
	message = binary.BigEndian.AppendUint32(message, urgent|crcFraming|v40<<8|v40<<16|v50<<24)
	message = append(message, 6, 127, 0, 0, 9, 7000>>8, 7000&0xff)
	sum := crc32.NewIEEE()
	sum.Write([]byte{0xfa, 0x2d, 0x55, 0xca}) // which Cassandra begins its sums with
	sum.Write(message)
	return binary.BigEndian.AppendUint32(message, sum.Sum32())
}
