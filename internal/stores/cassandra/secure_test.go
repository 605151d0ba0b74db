package cassandra

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/kvbench/kvbench/internal/pki"
	"github.com/kvbench/kvbench/internal/stores"
)

func TestWhoClientsSayTheyAre(t *testing.T) {
	for name, c := range map[string]struct {
		credentials *stores.Credentials
		user        string // "": none
	}{
		"nobody":           {nil, ""},
		"a certificate":    {&stores.Credentials{TLS: &tls.Config{}}, ""},
		"a user":           {&stores.Credentials{User: "u", Password: "p"}, "u"},
		"a password alone": {&stores.Credentials{Password: "p", TLS: &tls.Config{}}, "cassandra"},
	} {
		cluster, err := clusterOf(gocql.One, c.credentials, "a:1")
		if err != nil {
			t.Fatal(err)
		}
		said, has := cluster.Authenticator.(gocql.PasswordAuthenticator)
		if has != (c.user != "") || said.Username != c.user || has && said.Password != "p" {
			t.Errorf("%s: %T of %s", name, cluster.Authenticator, said.Username)
		}
		if want := c.credentials != nil && c.credentials.TLS != nil; want != (cluster.HostDialer.(hosts).tls != nil) {
			t.Errorf("%s: TLS %v", name, !want)
		}
	}
}

func TestServersAreBelievedByTheNamesOfMembers(t *testing.T) {
	now := time.Now()
	issue := func(authority *pki.Authority, usage x509.ExtKeyUsage, hosts ...string) *x509.Certificate {
		pair, err := authority.Issue("x", hosts, authority.End(), usage)
		if err != nil {
			t.Fatal(err)
		}
		both, err := tls.X509KeyPair(pair.Certificate, pair.Key)
		if err != nil {
			t.Fatal(err)
		}
		return both.Leaf
	}
	var authorities []*pki.Authority
	for range 2 {
		authority, err := pki.NewAuthority("a", now, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		authorities = append(authorities, authority)
	}
	const server, client = x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authorities[0].PEM())
	config := clientTLS(&tls.Config{RootCAs: roots}, []string{"m-0", "m-1"})
	for name, c := range map[string]struct {
		chain    []*x509.Certificate
		believed bool
	}{
		"a member":                 {[]*x509.Certificate{issue(authorities[0], server, "m-0")}, true},
		"another member":           {[]*x509.Certificate{issue(authorities[0], server, "x", "m-1")}, true},
		"one that is no member":    {[]*x509.Certificate{issue(authorities[0], server, "m-2")}, false},
		"one without a name":       {[]*x509.Certificate{issue(authorities[0], server)}, false},
		"a client":                 {[]*x509.Certificate{issue(authorities[0], client, "m-0")}, false},
		"one of another authority": {[]*x509.Certificate{issue(authorities[1], server, "m-0")}, false},
		"nobody":                   {nil, false},
	} {
		err := config.VerifyConnection(tls.ConnectionState{PeerCertificates: c.chain})
		if (err == nil) != c.believed || err != nil && codeOf(err) != stores.CodeUnauthorized {
			t.Errorf("%s: %v", name, err)
		}
	}
}
