package etcd

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestWhatIsEncryptedWith(t *testing.T) {
	junk := filepath.Join(t.TempDir(), "junk")
	if err := os.WriteFile(junk, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		config    stores.Config
		encrypted bool
		says      string
	}{
		"nothing":               {},
		"a run's credentials":   {config: stores.Config{Credentials: &stores.Credentials{TLS: &tls.Config{}}}, encrypted: true},
		"a password alone":      {config: stores.Config{Credentials: &stores.Credentials{Password: "x"}}},
		"a file that isn't":     {config: stores.Config{Properties: map[string]string{"cacert_file": junk + "x"}}, says: "etcd.cacert_file"},
		"a file of other words": {config: stores.Config{Properties: map[string]string{"cacert_file": junk}}, says: "no certificate in PEM"},
		"no authority":          {config: stores.Config{Properties: map[string]string{"cert_file": junk, "key_file": junk}}, says: "have no ca.crt"},
	} {
		got, err := encryption(c.config)
		if (got != nil) != c.encrypted || (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
