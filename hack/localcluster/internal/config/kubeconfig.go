// Package config renders what the cluster's programs read: their files and
// their command lines. It is pure: from names and addresses to text.
package config

import (
	"encoding/base64"
	"fmt"

	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
)

// Kubeconfig embeds its certificates, so that the file can be copied.
func Kubeconfig(user string, ca, cert, key []byte) string {
	enc := base64.StdEncoding.EncodeToString
	return fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- name: kvbench-local
  cluster:
    server: https://%s:%s
    certificate-authority-data: %s
users:
- name: %s
  user:
    client-certificate-data: %s
    client-key-data: %s
contexts:
- name: kvbench-local
  context: {cluster: kvbench-local, user: %s}
current-context: kvbench-local
`, layout.ControlAddress, layout.APIServerPort, enc(ca), user, enc(cert), enc(key), user)
}
