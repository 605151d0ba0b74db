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
	both := &stores.Credentials{User: "root", Password: "x", TLS: testTLS}
	for name, c := range map[string]struct {
		config    stores.Config
		encrypted bool
		user      string
		says      string
	}{
		"nothing":               {},
		"a run's credentials":   {config: stores.Config{Credentials: &stores.Credentials{TLS: &tls.Config{}}}, encrypted: true},
		"the run's own members": {config: stores.Config{Credentials: both}, encrypted: true},
		"members of others":     {config: stores.Config{Credentials: both, Shared: true}, encrypted: true, user: "root:x"},
		"a run's password":      {config: stores.Config{Credentials: &stores.Credentials{User: "root", Password: "x"}}, user: "root:x"},
		"a command line's":      {config: stores.Config{Properties: map[string]string{"user": "me", "password": "secret"}}, user: "me:secret"},
		"a user alone":          {config: stores.Config{Properties: map[string]string{"user": "me"}}, says: "etcd.user and etcd.password"},
		"a password alone":      {config: stores.Config{Properties: map[string]string{"password": "secret"}}, says: "etcd.user and etcd.password"},
		"a file that isn't":     {config: stores.Config{Properties: map[string]string{"cacert_file": junk + "x"}}, says: "etcd.cacert_file"},
		"a file of other words": {config: stores.Config{Properties: map[string]string{"cacert_file": junk}}, says: "no certificate in PEM"},
		"no authority":          {config: stores.Config{Properties: map[string]string{"cert_file": junk, "key_file": junk}}, says: "have no ca.crt"},
	} {
		held, err := credentialsOf(c.config)
		got := encryption(held)
		if (got != nil) != c.encrypted || (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if user := userOf(newTokens(held)); user != c.user {
			t.Errorf("%s: the user %q, want %q", name, user, c.user)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func userOf(users *tokens) string {
	if users == nil {
		return ""
	}
	return users.user.name + ":" + users.user.password
}
