// Package credentials makes the credentials of a run's store and of its clients: a password, and
// certificates that an authority of the run's own has signed. Each run gets new ones.
package credentials

import (
	"crypto/rand"
	"crypto/x509"
	"fmt"
	"slices"
	"time"

	"github.com/kvbench/kvbench/internal/pki"
	"github.com/kvbench/kvbench/internal/stores"
)

// Lifetime is how long certificates are valid: longer than any run, and than most stores that a
// run retains.
const Lifetime = 365 * 24 * time.Hour

// What members alone need, beside the clients' files.
const (
	// FileUsers has the user and the password on a line, with a colon between them.
	FileUsers = "users"
	// FileTokenKey is what members sign tokens with. Who has it can be any user.
	FileTokenKey = "token-key"
	// FileServerCert is good for the members' names, for whoever connects to them.
	FileServerCert = "tls.crt"
	FileServerKey  = "tls.key"
	// FileServerPEM has both of them, for servers that read them from one file.
	FileServerPEM = "tls.pem"
	// FileServerStore has them in PKCS #12, under the password, for servers of Java, and FileCAStore the
	// authority, as one that is believed.
	FileServerStore = "tls.p12"
	FileCAStore     = "ca.p12"
	// FilePeerStore and FilePeerCAStore are such ones of an authority that has signed nothing but a
	// certificate for members among themselves: for servers that look for nothing else in one.
	FilePeerStore   = "peer.p12"
	FilePeerCAStore = "peer-ca.p12"
	// FilePeerCert is what a member shows when it connects to another one. It has no names:
	// servers that compare them with the address of who connects would wait for DNS, and would
	// refuse a member that has come back under another address.
	FilePeerCert = "peer.crt"
	FilePeerKey  = "peer.key"
)

// PeerName is the common name of the members' certificates, which no client's has. PeerID is in that
// of FileServerCert, for servers that look for such an identity in place of a common name.
const (
	PeerName = "kvbench-member"
	PeerID   = "spiffe://kvbench/member"
)

// Make makes the files of a level for that user. hosts are what clients and members call the
// servers.
func Make(level, user string, hosts []string, now time.Time) (map[string][]byte, error) {
	files := map[string][]byte{}
	if level == stores.SecurityNone {
		return files, nil
	}
	files[stores.FileUser] = []byte(user)
	files[stores.FilePassword] = []byte(rand.Text())
	files[FileUsers] = fmt.Appendf(nil, "%s:%s\n", user, files[stores.FilePassword])
	if level != stores.SecurityTLS {
		files[FileTokenKey] = []byte(rand.Text() + rand.Text()) // 256 bits, for HMAC with SHA-256
		return files, nil
	}
	authority, err := pki.NewAuthority("kvbench run", now, Lifetime)
	if err != nil {
		return nil, err
	}
	files[stores.FileCA] = authority.PEM()
	hosts = append(slices.Clone(hosts), "localhost", "127.0.0.1", PeerID)
	for _, one := range []struct {
		name, certificate, key string
		hosts                  []string
		usages                 []x509.ExtKeyUsage
	}{
		// Some servers ask themselves, as their own clients.
		{PeerName, FileServerCert, FileServerKey, hosts, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}},
		{PeerName, FilePeerCert, FilePeerKey, nil, []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}},
		{user, stores.FileClientCert, stores.FileClientKey, nil, []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}},
	} {
		pair, err := authority.Issue(one.name, one.hosts, authority.End(), one.usages...)
		if err != nil {
			return nil, fmt.Errorf("making the run's certificates: %w", err)
		}
		files[one.certificate], files[one.key] = pair.Certificate, pair.Key
	}
	files[FileServerPEM] = slices.Concat(files[FileServerKey], files[FileServerCert])
	if err := addStores(files, hosts, now); err != nil {
		return nil, fmt.Errorf("making the run's certificates: %w", err)
	}
	return files, nil
}

// addStores adds those of Java.
func addStores(files map[string][]byte, hosts []string, now time.Time) error {
	authority, err := pki.NewAuthority("kvbench members", now, Lifetime)
	if err != nil {
		return err
	}
	peer, err := authority.Issue(PeerName, hosts, authority.End(), x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth)
	if err != nil {
		return err
	}
	password := string(files[stores.FilePassword])
	server := pki.Pair{Certificate: files[FileServerCert], Key: files[FileServerKey]}
	for name, pair := range map[string]pki.Pair{FileServerStore: server, FilePeerStore: peer} {
		if files[name], err = pair.KeyStore(password); err != nil {
			return err
		}
	}
	for name, believed := range map[string][]byte{FileCAStore: files[stores.FileCA], FilePeerCAStore: authority.PEM()} {
		if files[name], err = pki.TrustStore(believed, password); err != nil {
			return err
		}
	}
	return nil
}
