package conformance

import (
	"fmt"
	"net"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"github.com/kvbench/kvbench/internal/credentials"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// listenRedis is the part of a configuration that says how a server or a Sentinel is reached, as the
// chart's scripts write it.
func listenRedis(held *secrets, port int) string {
	if held == nil {
		return fmt.Sprintf("port %d\n", port)
	}
	lines := fmt.Sprintf("requirepass \"%s\"\n", held.files[stores.FilePassword])
	if held.level != stores.SecurityTLS {
		return lines + fmt.Sprintf("port %d\n", port)
	}
	return lines + fmt.Sprintf("port 0\ntls-port %d\ntls-replication yes\ntls-ca-cert-file %s\ntls-cert-file %s\ntls-key-file %s\n",
		port, held.path(stores.FileCA), held.path(credentials.FileServerCert), held.path(credentials.FileServerKey))
}

// joinRedis is what a server says to those that it follows, and listenRedis.
func joinRedis(held *secrets, port int) string {
	lines := listenRedis(held, port)
	if held != nil {
		lines += fmt.Sprintf("masterauth \"%s\"\n", held.files[stores.FilePassword])
	}
	return lines
}

// redisOptions are those of a client beside the driver.
func redisOptions(config stores.Config, address string) *goredis.Options {
	options := &goredis.Options{Addr: address, TLSConfig: config.ClientTLS(), DialerRetries: 1, MaxRetries: -1}
	if config.Credentials != nil {
		options.Password = config.Credentials.Password
	}
	return options
}

func TestRedisAloneWithSecurity(t *testing.T) {
	t.Parallel()
	entry, _ := catalog.Find("redis")
	for _, level := range entry.Security.Levels {
		t.Run(level, func(t *testing.T) {
			held := makeSecrets(t, entry, level)
			target, cluster := startRedis(t, "redis", 1, held)
			t.Run("strangers", func(t *testing.T) { Strangers(t, target, strangersToRedis(t, held)) })
			if level == stores.SecurityTLS {
				t.Run("impostors", func(t *testing.T) { Impostors(t, target, held, saysNothing) })
			}
			t.Run("restarts", func(t *testing.T) { NoticesRestarts(t, target, &cluster.servers) })
		})
	}
}

func TestRedisWithPasswords(t *testing.T) { testRedisWithSecurity(t, "redis", stores.SecurityAuth) }

func TestRedisWithTLS(t *testing.T) { testRedisWithSecurity(t, "redis", stores.SecurityTLS) }

func TestValkeyWithTLS(t *testing.T) { testRedisWithSecurity(t, "valkey", stores.SecurityTLS) }

func testRedisWithSecurity(t *testing.T, store, level string) {
	t.Parallel()
	entry, _ := catalog.Find(store)
	held := makeSecrets(t, entry, level)
	target, cluster := startRedis(t, store, 3, held)
	t.Run("driver", func(t *testing.T) { Driver(t, target) })
	t.Run("batches", func(t *testing.T) { Batches(t, target) })
	t.Run("observer", func(t *testing.T) { Observer(t, target, &cluster.servers) })
	t.Run("usage", func(t *testing.T) { Usage(t, target, tellsSizes) })
	t.Run("strangers", func(t *testing.T) { Strangers(t, target, guesser(t, held)) })
	t.Run("restarts", func(t *testing.T) { NoticesRestarts(t, target, &cluster.servers) })
	t.Run("a write waits for its replicas", func(t *testing.T) { waitsForReplicas(t, target, cluster) })
	t.Run("recovery", func(t *testing.T) { Recovery(t, target, &cluster.servers) })
}

func TestRedisClusterWithSecurity(t *testing.T) {
	t.Parallel()
	entry, _ := catalog.Find("redis")
	for _, level := range entry.Security.Levels {
		t.Run(level, func(t *testing.T) {
			held := makeSecrets(t, entry, level)
			target, cluster, repaired := testRedisCluster(t, "redis", 6, held)
			t.Run("strangers", func(t *testing.T) { Strangers(t, target, guesser(t, held)) })
			if level == stores.SecurityTLS {
				t.Run("impostors", func(t *testing.T) { Impostors(t, target, held, saysNothing) })
			}
			t.Run("a member that lost its data is taken in again", func(t *testing.T) { takesIn(t, target, cluster, repaired) })
			t.Run("operations follow a slot to another member", func(t *testing.T) { followsSlots(t, target) })
			t.Run("restarts", func(t *testing.T) { NoticesRestarts(t, target, &cluster.servers) })
		})
	}
}

// saysNothing is of servers that encrypt from the first byte.
func saysNothing(net.Conn) error { return nil }

// guesser is the one stranger who asks several members: each of them is as any alone.
func guesser(t *testing.T, held *secrets) map[string]stranger {
	return map[string]stranger{
		"another password": {held.credentials(t, map[string][]byte{stores.FilePassword: []byte("guessed")}), "refuses the user and the password", false},
	}
}

func strangersToRedis(t *testing.T, held *secrets) map[string]stranger {
	strangers := guesser(t, held)
	strangers["another user"] = stranger{held.credentials(t, map[string][]byte{stores.FileUser: []byte("somebody")}), "refuses the user and the password", false}
	if held.level == stores.SecurityAuth {
		strangers["no password"] = stranger{nil, "NOAUTH", false}
		return strangers
	}
	nameless, plain, uncertified := held.credentials(t, nil), held.credentials(t, nil), held.credentials(t, nil)
	nameless.Password, plain.TLS, uncertified.TLS.Certificates = "", nil, nil
	strangers["no password"] = stranger{nameless, "NOAUTH", false}
	// The servers close the connection at once, and what they say may get lost.
	strangers["plain text"] = stranger{plain, "", true}
	strangers["no certificate"] = stranger{uncertified, "", true}
	other := makeSecrets(t, &stores.Entry{}, stores.SecurityTLS)
	strangers["a certificate of another authority"] = stranger{held.credentials(t, map[string][]byte{
		stores.FileClientCert: other.files[stores.FileClientCert], stores.FileClientKey: other.files[stores.FileClientKey],
	}), "", true}
	strangers["another authority for the servers"] = stranger{held.credentials(t, map[string][]byte{stores.FileCA: other.files[stores.FileCA]}), "unknown authority", false}
	return strangers
}
