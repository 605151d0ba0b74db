package conformance

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"software.sslmate.com/src/go-pkcs12"

	"github.com/kvbench/kvbench/internal/credentials"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
	"github.com/kvbench/kvbench/internal/stores/ignite"
)

// igniteSecurity is what the chart adds to the members' file as well.
func igniteSecurity(held *secrets) (forClients, forPeers string) {
	switch {
	case held == nil:
		return "", ""
	case held.level == stores.SecurityAuth:
		return "", `<property name="authenticationEnabled" value="true"/>`
	}
	keys := func(own, believed string) string {
		password := "#{T(java.nio.file.Files).readString(new java.io.File('" + held.path(stores.FilePassword) + "').toPath()).toCharArray()}"
		return fmt.Sprintf(`
  <property name="sslContextFactory"><bean class="org.apache.ignite.ssl.SslContextFactory">
    <property name="keyStoreType" value="PKCS12"/><property name="trustStoreType" value="PKCS12"/>
    <property name="keyStoreFilePath" value="%[1]s"/><property name="keyStorePassword" value="%[3]s"/>
    <property name="trustStoreFilePath" value="%[2]s"/><property name="trustStorePassword" value="%[3]s"/>
  </bean></property>`, held.path(own), held.path(believed), password)
	}
	return `<property name="sslEnabled" value="true"/><property name="sslClientAuth" value="true"/>
    <property name="useIgniteSslContextFactory" value="false"/>` + keys(credentials.FileServerStore, credentials.FileCAStore), keys(credentials.FilePeerStore, credentials.FilePeerCAStore)
}

func TestIgniteWithTLS(t *testing.T) {
	entry, _ := catalog.Find("ignite")
	held := makeSecrets(t, entry, stores.SecurityTLS)
	target, cluster := startIgnite(t, 3, false, held)
	target = inMode(target, ignite.ModeTransactional)
	awaitIgnite(t, target)
	t.Run("driver", func(t *testing.T) { Driver(t, withModes(target, ignite.ModeAtomic)) })
	t.Run("driver, shared connections", func(t *testing.T) { Driver(t, Sharing(withModes(target, ignite.ModeAtomic))) })
	t.Run("batches", func(t *testing.T) { Batches(t, withModes(target, ignite.ModeAtomic)) })
	t.Run("observer", func(t *testing.T) { Observer(t, target, cluster) })
	t.Run("strangers", func(t *testing.T) { Strangers(t, target, strangersToIgnite(t, held)) })
	t.Run("impostors", func(t *testing.T) { Impostors(t, target, held, func(net.Conn) error { return nil }) })
	t.Run("peers", func(t *testing.T) { letsNoClientBeAMemberOfIgnite(t, cluster, held) })
	t.Run("restarts", func(t *testing.T) { noticesARestart(t, target, cluster) })
	t.Run("recovery", func(t *testing.T) { Recovery(t, target, cluster) })
}

// Members that have their data on disks are made one active cluster over TLS, too.
func TestIgniteIsActivatedWithTLS(t *testing.T) {
	entry, _ := catalog.Find("ignite")
	target, _ := startIgnite(t, 2, true, makeSecrets(t, entry, stores.SecurityTLS))
	target = inMode(target, ignite.ModeAtomicPersistent)
	repairs(t, target)
	awaitIgnite(t, target)
	_, session := open(t, target)
	do(t, session, stores.Op{Kind: stores.Insert, Table: "kept", Key: []byte("k"), Values: record("x")})
}

// Members that have their data on disks have users, too, of whom the run's has the password that was made
// for it. A member that lost its disk is told of it by the others.
func TestIgniteWithUsers(t *testing.T) {
	entry, _ := catalog.Find("ignite")
	held := makeSecrets(t, entry, stores.SecurityAuth)
	target, cluster := startIgnite(t, 3, true, held)
	target = inMode(target, ignite.ModeTransactionalPersistent)
	repaired := repairs(t, target)
	awaitIgnite(t, target)
	did := awaitRepairs(repaired, 2)
	if len(did) != 2 || !strings.Contains(did[0], "activated") || !strings.Contains(did[1], "password") {
		t.Errorf("repairs %q, want an activation and a password", did)
	}
	t.Run("driver", func(t *testing.T) { Driver(t, withModes(target, ignite.ModeAtomicPersistent)) })
	t.Run("driver, shared connections", func(t *testing.T) { Driver(t, Sharing(withModes(target, ignite.ModeAtomicPersistent))) })
	t.Run("batches", func(t *testing.T) { Batches(t, withModes(target, ignite.ModeAtomicPersistent)) })
	t.Run("observer", func(t *testing.T) { Observer(t, target, cluster) })
	t.Run("strangers", func(t *testing.T) {
		everybodys := map[string][]byte{stores.FilePassword: []byte("ignite")}
		Strangers(t, target, map[string]stranger{
			"another password":      {held.credentials(t, map[string][]byte{stores.FilePassword: []byte("guessed")}), "is incorrect", false},
			"another user":          {held.credentials(t, map[string][]byte{stores.FileUser: []byte("kvbench")}), "is incorrect", false},
			"Ignite's own password": {held.credentials(t, everybodys), "is incorrect", false},
			"no user":               {nil, "is incorrect", false},
		})
	})
	t.Run("restarts", func(t *testing.T) { NoticesRestarts(t, target, cluster) })
	t.Run("recovery", func(t *testing.T) { Recovery(t, target, cluster) })
	t.Run("a member without its disk", func(t *testing.T) {
		cluster.Kill(t, 2)
		if err := os.RemoveAll(cluster.data[2]); err != nil {
			t.Fatal(err)
		}
		cluster.Start(t, 2)
		awaitIgnite(t, target)
	})
	if did := repaired(); len(did) != 2 {
		t.Errorf("repairs %q, want no other ones", did)
	}
}

func strangersToIgnite(t *testing.T, held *secrets) map[string]stranger {
	other, plain := makeSecrets(t, &stores.Entry{}, stores.SecurityTLS), held.credentials(t, nil)
	plain.TLS = nil
	nameless := held.credentials(t, nil)
	nameless.TLS.Certificates = nil
	return map[string]stranger{
		"plain text":     {plain, "", true},
		"no certificate": {nameless, "", true},
		"a certificate of another authority": {held.credentials(t, map[string][]byte{
			stores.FileClientCert: other.files[stores.FileClientCert], stores.FileClientKey: other.files[stores.FileClientKey],
		}), "", true},
		"another authority for the servers": {held.credentials(t, map[string][]byte{stores.FileCA: other.files[stores.FileCA]}), "unknown authority", false},
	}
}

// noticesARestart shows that a session which did nothing while a member was restarted looks at its
// connection before it sends, also below TLS.
func noticesARestart(t *testing.T, target Target, cluster *servers) {
	_, session := open(t, target)
	const records = 50 // of which each member owns some
	fill(t, session, "restart", records)
	cluster.Kill(t, 1)
	cluster.Start(t, 1)
	awaitIgnite(t, target)
	fill(t, session, "restart", records)
}

// letsNoClientBeAMemberOfIgnite shows that a worker's certificate doesn't open the members' own port:
// it is told so, where a member's is left to speak, and ended when it doesn't.
func letsNoClientBeAMemberOfIgnite(t *testing.T, cluster *servers, held *secrets) {
	client := held.credentials(t, nil).TLS
	client.InsecureSkipVerify = true // of another authority than its own
	key, own, err := pkcs12.Decode(held.files[credentials.FilePeerStore], string(held.files[stores.FilePassword]))
	if err != nil {
		t.Fatal(err)
	}
	member := client.Clone()
	member.Certificates = []tls.Certificate{{Certificate: [][]byte{own.Raw}, PrivateKey: key}}
	for name, c := range map[string]struct {
		config *tls.Config
		within time.Duration // a refusal takes what it takes; one that is accepted hears nothing
		served bool
	}{"a client": {client, opTimeout, false}, "a member": {member, time.Second, true}} {
		conn, err := tls.DialWithDialer(&net.Dialer{Timeout: opTimeout}, "tcp", cluster.peers[0], c.config)
		if err == nil {
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(c.within))
			_, err = conn.Read(make([]byte, 1))
		}
		// A member waits for what one that it has accepted says, or says something itself.
		if served := err == nil || errors.Is(err, os.ErrDeadlineExceeded); served != c.served {
			t.Errorf("%s: served %v, %v", name, served, err)
		}
	}
}
