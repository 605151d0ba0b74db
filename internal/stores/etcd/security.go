package etcd

import (
	"crypto/tls"
	"fmt"
	"os"

	"github.com/kvbench/kvbench/internal/stores"
)

// The properties of a command line. Those of files in PEM have go-ycsb's names; it knows no users.
const (
	propertyCA       = "cacert_file"
	propertyCert     = "cert_file"
	propertyKey      = "key_file"
	propertyUser     = "user"
	propertyPassword = "password"
)

// encryption is nil for plain text.
func encryption(credentials *stores.Credentials) *tls.Config {
	return stores.Config{Credentials: credentials}.ClientTLS()
}

// credentialsOf are the run's, or a command line's; nil for none.
func credentialsOf(cfg stores.Config) (*stores.Credentials, error) {
	user, password := cfg.Properties[propertyUser], cfg.Properties[propertyPassword]
	files := map[string][]byte{}
	for property, name := range map[string]string{
		propertyCA: stores.FileCA, propertyCert: stores.FileClientCert, propertyKey: stores.FileClientKey,
	} {
		path := cfg.Properties[property]
		if path == "" {
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("etcd: property etcd.%s: %w", property, err)
		}
		files[name] = content
	}
	held := cfg.Credentials
	if held != nil && held.TLS != nil && !cfg.Shared {
		// The run's own members know their clients by certificates, and have no users.
		held = &stores.Credentials{TLS: held.TLS}
	}
	switch {
	case (user == "") != (password == ""):
		return nil, fmt.Errorf("etcd: properties etcd.%s and etcd.%s: give both, or none", propertyUser, propertyPassword)
	case len(files) == 0 && user == "":
		return held, nil
	case len(files) == 0:
		return &stores.Credentials{User: user, Password: password}, nil
	}
	made, err := stores.NewCredentials(stores.SecurityTLS, files)
	if err != nil {
		return nil, fmt.Errorf("etcd: properties etcd.%s, etcd.%s and etcd.%s: %w", propertyCA, propertyCert, propertyKey, err)
	}
	made.User, made.Password = user, password
	return made, nil
}
