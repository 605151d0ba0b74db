package conformance

import (
	"bufio"
	"net"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/credentials"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// memcachedSecurity is what the chart sets as well.
func memcachedSecurity(held *secrets) (args []string) {
	if held == nil {
		return nil
	}
	args = append(args, "--auth-file="+held.path(credentials.FileUsers))
	if held.level == stores.SecurityTLS {
		args = append(args, "--enable-ssl",
			"--extended=ssl_chain_cert="+held.path(credentials.FileServerCert)+",ssl_key="+held.path(credentials.FileServerKey))
	}
	return args
}

func TestMemcachedWithSecurity(t *testing.T) {
	t.Parallel()
	entry, _ := catalog.Find("memcached")
	for _, level := range entry.Security.Levels {
		t.Run(level, func(t *testing.T) {
			held := makeSecrets(t, entry, level)
			target, cluster := startMemcached(t, 3, held)
			t.Run("driver", func(t *testing.T) { Driver(t, target) })
			t.Run("batches", func(t *testing.T) { Batches(t, target) })
			t.Run("observer", func(t *testing.T) { Observer(t, target, cluster) })
			t.Run("usage", func(t *testing.T) { Usage(t, target, func(stores.Usage) bool { return true }) })
			t.Run("strangers", func(t *testing.T) { Strangers(t, target, strangersToMemcached(t, held)) })
			if level == stores.SecurityTLS {
				t.Run("impostors", func(t *testing.T) { Impostors(t, target, held, func(net.Conn) error { return nil }) })
			}
			t.Run("restarts", func(t *testing.T) { NoticesRestarts(t, target, cluster) })
			t.Run("recovery", func(t *testing.T) { Recovery(t, target, cluster) })
		})
	}
}

// A member that asks for no password would keep it, as an item that everybody reads.
func TestAMemcachedWithoutUsersIsToldNoPassword(t *testing.T) {
	t.Parallel()
	entry, _ := catalog.Find("memcached")
	target, _ := startMemcached(t, 1, nil)
	_, session := open(t, target)
	target.Config.Credentials = makeSecrets(t, entry, stores.SecurityAuth).credentials(t, nil)
	theirs, _ := open(t, target)
	if err := theirs.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "it asks for none") {
		t.Errorf("ping: %v", err)
	}
	conn, err := net.Dial("tcp", target.Config.Addresses[0])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("get auth\r\n")); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || line != "END\r\n" {
		t.Errorf("it keeps %q, %v", line, err)
	}
	do(t, session, stores.Op{Kind: stores.Insert, Table: "t", Key: []byte("k"), Values: record("v")}) // it serves
}

func strangersToMemcached(t *testing.T, held *secrets) map[string]stranger {
	strangers := map[string]stranger{
		"another password": {held.credentials(t, map[string][]byte{stores.FilePassword: []byte("guessed")}), "refuses the user and the password", false},
		"another user":     {held.credentials(t, map[string][]byte{stores.FileUser: []byte("somebody")}), "refuses the user and the password", false},
	}
	if held.level == stores.SecurityAuth {
		strangers["no password"] = stranger{nil, "unauthenticated", true}
		return strangers
	}
	other, plain := makeSecrets(t, &stores.Entry{}, stores.SecurityTLS), held.credentials(t, nil)
	plain.TLS = nil
	strangers["plain text"] = stranger{plain, "", true}
	strangers["another authority for the servers"] = stranger{held.credentials(t, map[string][]byte{stores.FileCA: other.files[stores.FileCA]}), "unknown authority", false}
	return strangers
}
