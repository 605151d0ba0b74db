package etcd

import (
	"crypto/tls"
	"fmt"
	"os"

	"github.com/kvbench/kvbench/internal/stores"
)

// The properties of a command line, by go-ycsb's names: files in PEM.
const (
	propertyCA   = "cacert_file"
	propertyCert = "cert_file"
	propertyKey  = "key_file"
)

// encryption is what to encrypt with: the run's credentials, or a command line's files; nil for
// plain text.
func encryption(cfg stores.Config) (*tls.Config, error) {
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
	if len(files) == 0 {
		return cfg.ClientTLS(), nil
	}
	made, err := stores.NewCredentials(stores.SecurityTLS, files)
	if err != nil {
		return nil, fmt.Errorf("etcd: properties etcd.%s, etcd.%s and etcd.%s: %w", propertyCA, propertyCert, propertyKey, err)
	}
	return made.TLS, nil
}
