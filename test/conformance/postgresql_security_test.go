package conformance

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/kvbench/kvbench/internal/credentials"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// securedPostgresql is what the chart and its start script set as well.
type securedPostgresql struct {
	initdb, server []string
	standby        string // of the address of the primary
}

func securePostgresql(t testing.TB, held *secrets) securedPostgresql {
	t.Helper()
	if held == nil {
		return securedPostgresql{initdb: []string{"--auth=trust"}}
	}
	folder, connection := t.TempDir(), "host"
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	secured := securedPostgresql{initdb: []string{"--auth=scram-sha-256", "--pwfile=" + held.path(stores.FilePassword)}}
	secured.standby = " passfile=" + write("pgpass", fmt.Sprintf("*:*:*:*:%s\n", held.files[stores.FilePassword]))
	if held.level == stores.SecurityTLS {
		connection = "hostssl"
		secured.standby += " sslmode=verify-full sslrootcert=" + held.path(stores.FileCA)
		secured.server = []string{"-c", "ssl=on", "-c", "ssl_cert_file=" + held.path(credentials.FileServerCert), "-c", "ssl_key_file=" + held.path(credentials.FileServerKey)}
	}
	hba := fmt.Sprintf("%[1]s all postgres all scram-sha-256\n%[1]s replication postgres all scram-sha-256\n", connection)
	secured.server = append(secured.server, "-c", "hba_file="+write("pg_hba.conf", hba))
	return secured
}

func TestPostgresqlWithSecurity(t *testing.T) {
	t.Parallel()
	entry, _ := catalog.Find("postgresql")
	for _, level := range entry.Security.Levels {
		t.Run(level, func(t *testing.T) {
			held := makeSecrets(t, entry, level)
			target, cluster := startPostgresql(t, 3, held)
			t.Run("driver", func(t *testing.T) { Driver(t, target) })
			t.Run("observer", func(t *testing.T) { Observer(t, target, cluster) })
			t.Run("strangers", func(t *testing.T) { Strangers(t, target, strangersToPostgresql(t, held)) })
			if level == stores.SecurityTLS {
				t.Run("impostors", func(t *testing.T) { Impostors(t, target, held, agreesToEncrypt) })
			}
			t.Run("restarts", func(t *testing.T) { NoticesRestarts(t, target, &cluster.servers) })
			t.Run("recovery", func(t *testing.T) { Recovery(t, target, cluster) })
		})
	}
}

// agreesToEncrypt answers the request for it, which has eight bytes.
func agreesToEncrypt(conn net.Conn) error {
	if _, err := io.ReadFull(conn, make([]byte, 8)); err != nil {
		return err
	}
	_, err := conn.Write([]byte("S"))
	return err
}

func strangersToPostgresql(t *testing.T, held *secrets) map[string]stranger {
	strangers := map[string]stranger{
		"another password": {held.credentials(t, map[string][]byte{stores.FilePassword: []byte("guessed")}), "28P01", false},
		"no password":      {nil, "28000", false},
	}
	if held.level == stores.SecurityAuth {
		strangers["no password"] = stranger{nil, "password", false}
		return strangers
	}
	other, plain := makeSecrets(t, &stores.Entry{}, stores.SecurityTLS), held.credentials(t, nil)
	plain.TLS = nil
	strangers["plain text"] = stranger{plain, "28000", false}
	strangers["another authority for the servers"] = stranger{held.credentials(t, map[string][]byte{stores.FileCA: other.files[stores.FileCA]}), "unknown authority", false}
	return strangers
}
