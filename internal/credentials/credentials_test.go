package credentials

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"software.sslmate.com/src/go-pkcs12"

	"github.com/kvbench/kvbench/internal/stores"
)

var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func made(t *testing.T, level string) map[string][]byte {
	t.Helper()
	files, err := Make(level, "somebody", []string{"m-0.m.ns.svc", "10.0.0.1"}, now)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestClientsGetNothingThatIsTheMembers(t *testing.T) {
	for level, members := range map[string][]string{
		stores.SecurityNone: nil,
		stores.SecurityAuth: {FileUsers, FileTokenKey},
		stores.SecurityTLS:  {FileUsers, FilePeerCert, FilePeerKey, FileServerCert, FileServerKey, FileServerPEM, FileServerStore, FileCAStore, FilePeerStore, FilePeerCAStore},
	} {
		clients := stores.CredentialFiles(level)
		all := slices.Sorted(maps.Keys(made(t, level)))
		if want := slices.Sorted(slices.Values(append(slices.Clone(clients), members...))); !slices.Equal(all, want) {
			t.Errorf("%s: %v, want %v", level, all, want)
		}
	}
}

func TestEachRunHasOthers(t *testing.T) {
	for _, level := range []string{stores.SecurityAuth, stores.SecurityTLS} {
		one, another := made(t, level), made(t, level)
		for name := range one {
			if same := bytes.Equal(one[name], another[name]); same != (name == stores.FileUser) {
				t.Errorf("%s: %s is the same: %v", level, name, same)
			}
		}
		if n := len(one[stores.FilePassword]); n < 20 {
			t.Errorf("%s: the password has %d characters", level, n)
		}
	}
	if n := len(made(t, stores.SecurityAuth)[FileTokenKey]); n < 32 {
		t.Errorf("the key of tokens has %d characters", n)
	}
}

func certificate(t *testing.T, files map[string][]byte, name string) *x509.Certificate {
	t.Helper()
	block, rest := pem.Decode(files[name])
	if block == nil || len(rest) > 0 {
		t.Fatalf("%s is not one block of PEM", name)
	}
	parsed, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestCertificatesAreGoodForWhatTheyAreMadeFor(t *testing.T) {
	files := made(t, stores.SecurityTLS)
	roots := x509.NewCertPool()
	roots.AddCert(certificate(t, files, stores.FileCA))
	const server, client = x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth
	for name, c := range map[string]struct {
		file, host string
		usage      x509.ExtKeyUsage
		at         time.Time
		good       bool
	}{
		"a member by its name":            {FileServerCert, "m-0.m.ns.svc", server, now, true},
		"a member by its address":         {FileServerCert, "10.0.0.1", server, now, true},
		"a member from beside it":         {FileServerCert, "localhost", server, now, true},
		"a member that asks itself":       {FileServerCert, "", client, now, true},
		"another run's member":            {FileServerCert, "m-0.m.other.svc", server, now, false},
		"a client":                        {stores.FileClientCert, "", client, now, true},
		"a client that plays the server":  {stores.FileClientCert, "", server, now, false},
		"a member that asks another one":  {FilePeerCert, "", client, now, true},
		"where the clock is behind":       {stores.FileClientCert, "", client, now.Add(-50 * time.Minute), true},
		"to the end of the longest run":   {stores.FileClientCert, "", client, now.Add(Lifetime - time.Second), true},
		"no longer than it has to be":     {FileServerCert, "localhost", server, now.Add(Lifetime + time.Second), false},
		"not before the run, but an hour": {FileServerCert, "localhost", server, now.Add(-2 * time.Hour), false},
	} {
		_, err := certificate(t, files, c.file).Verify(x509.VerifyOptions{
			Roots: roots, DNSName: c.host, CurrentTime: c.at, KeyUsages: []x509.ExtKeyUsage{c.usage},
		})
		if (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
	for file, name := range map[string]string{stores.FileClientCert: "somebody", FilePeerCert: PeerName, FileServerCert: PeerName} {
		if got := certificate(t, files, file); got.Subject.CommonName != name || got.IsCA {
			t.Errorf("%s: %v, an authority: %v", file, got.Subject, got.IsCA)
		}
	}
	for file, want := range map[string]bool{FileServerCert: true, FilePeerCert: false, stores.FileClientCert: false} {
		uris := certificate(t, files, file).URIs
		if got := len(uris) == 1 && uris[0].String() == PeerID; got != want || !want && len(uris) > 0 {
			t.Errorf("%s has the identities %v", file, uris)
		}
	}
	if pair, err := tls.X509KeyPair(files[FileServerPEM], files[FileServerPEM]); err != nil || !pair.Leaf.Equal(certificate(t, files, FileServerCert)) {
		t.Errorf("%s is not the member's: %v", FileServerPEM, err)
	}
	if names := certificate(t, files, FilePeerCert).DNSNames; len(names) > 0 {
		t.Errorf("%s has the names %v: etcd would look them up", FilePeerCert, names)
	}
}

func TestServersOfJavaHaveTheSameCertificates(t *testing.T) {
	files := made(t, stores.SecurityTLS)
	key, own := keyStore(t, files, FileServerStore)
	if !own.Equal(certificate(t, files, FileServerCert)) || !key.PublicKey.Equal(own.PublicKey) {
		t.Errorf("%s is not the member's", FileServerStore)
	}
	if !trustStore(t, files, FileCAStore).Equal(certificate(t, files, stores.FileCA)) {
		t.Errorf("%s is not the authority", FileCAStore)
	}
	if _, _, err := pkcs12.Decode(files[FileServerStore], "guessed"); err == nil {
		t.Error("the key needs no password")
	}
}

// What members of Java believe of each other, no client can show, and the other way round.
func TestMembersOfJavaBelieveMembersAlone(t *testing.T) {
	files := made(t, stores.SecurityTLS)
	_, peer := keyStore(t, files, FilePeerStore)
	clients, members := x509.NewCertPool(), x509.NewCertPool()
	clients.AddCert(trustStore(t, files, FileCAStore))
	members.AddCert(trustStore(t, files, FilePeerCAStore))
	for name, c := range map[string]struct {
		shows *x509.Certificate
		to    *x509.CertPool
		good  bool
	}{
		"a member to a member":   {peer, members, true},
		"a client to a member":   {certificate(t, files, stores.FileClientCert), members, false},
		"a client to its server": {certificate(t, files, stores.FileClientCert), clients, true},
		"a member as a client":   {peer, clients, false},
	} {
		_, err := c.shows.Verify(x509.VerifyOptions{Roots: c.to, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
		if (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func keyStore(t *testing.T, files map[string][]byte, name string) (*ecdsa.PrivateKey, *x509.Certificate) {
	t.Helper()
	key, own, err := pkcs12.Decode(files[name], string(files[stores.FilePassword]))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return key.(*ecdsa.PrivateKey), own
}

func trustStore(t *testing.T, files map[string][]byte, name string) *x509.Certificate {
	t.Helper()
	all, err := pkcs12.DecodeTrustStore(files[name], string(files[stores.FilePassword]))
	if err != nil || len(all) != 1 {
		t.Fatalf("%s: %d certificates, %v", name, len(all), err)
	}
	return all[0]
}

// The authority's key is nowhere: each key that there is belongs to another certificate.
func TestTheAuthoritysKeyIsNotKept(t *testing.T) {
	files := made(t, stores.SecurityTLS)
	for name, content := range files {
		if !strings.HasSuffix(name, ".key") {
			if name != FileServerPEM && bytes.Contains(content, []byte("PRIVATE")) {
				t.Errorf("%s has a key", name)
			}
			continue
		}
		if _, err := tls.X509KeyPair(files[stores.FileCA], content); err == nil {
			t.Errorf("%s is the authority's", name)
		}
		if _, err := tls.X509KeyPair(files[strings.TrimSuffix(name, ".key")+".crt"], content); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
