package etcd

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/kvbench/kvbench/internal/stores"
)

// newJoin reads the command of etcd.
func newJoin(command []string, held *stores.Credentials) (*join, error) {
	flags := map[string]string{}
	for _, arg := range command {
		if name, value, ok := strings.Cut(strings.TrimPrefix(arg, "--"), "="); ok {
			flags[name] = value
		}
	}
	peers, err := joinEncryption(flags, "peer-")
	if err != nil {
		return nil, err
	}
	clients, err := joinEncryption(flags, "")
	if err != nil {
		return nil, err
	}
	j := &join{command: command, dataDir: flags["data-dir"], peerURL: flags["initial-advertise-peer-urls"],
		token:   cmp.Or(flags["initial-cluster-token"], defaultToken),
		peers:   &http.Client{Timeout: joinTimeout, Transport: &http.Transport{Proxy: nil, TLSClientConfig: peers}},
		clients: insecure.NewCredentials(), held: held}
	if clients != nil {
		j.clients = credentials.NewTLS(clients)
	}
	for _, member := range strings.Split(flags["initial-cluster"], ",") {
		if _, peerURL, ok := strings.Cut(member, "="); ok && peerURL != j.peerURL {
			j.others = append(j.others, peerURL)
		}
	}
	if j.dataDir == "" || j.peerURL == "" || flags["initial-cluster-state"] != "new" {
		return nil, errors.New("the command of etcd needs --data-dir=, --initial-advertise-peer-urls= and --initial-cluster-state=new")
	}
	return j, nil
}

// joinEncryption is what the flags of etcd that begin so say of connections to members; nil is plain
// text.
func joinEncryption(flags map[string]string, prefix string) (*tls.Config, error) {
	if flags[prefix+"trusted-ca-file"] == "" {
		return nil, nil
	}
	files := map[string][]byte{}
	for flag, name := range map[string]string{
		"trusted-ca-file": stores.FileCA, "client-cert-file": stores.FileClientCert, "client-key-file": stores.FileClientKey,
	} {
		content, err := os.ReadFile(flags[prefix+flag])
		if err != nil {
			return nil, fmt.Errorf("--%s%s: %w", prefix, flag, err)
		}
		files[name] = content
	}
	made, err := stores.NewCredentials(stores.SecurityTLS, files)
	if err != nil {
		return nil, err
	}
	return made.TLS, nil
}

// withExisting starts into a cluster that exists.
func withExisting(command []string) []string {
	changed := slices.Clone(command)
	for i, arg := range changed {
		if strings.HasPrefix(arg, "--initial-cluster-state=") {
			changed[i] = "--initial-cluster-state=existing"
		}
	}
	return changed
}
