package cassandra

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

// Cassandra's own superuser, and the password that it has until somebody changes it.
const (
	defaultUser     = "cassandra"
	defaultPassword = "cassandra"
)

// errNoPassword is of members that ask for a password where there is none.
var errNoPassword = errors.New("the members ask for a user and a password")

// secure has a client prove who it is, and encrypt, as the credentials say.
func secure(cluster *gocql.ClusterConfig, credentials *stores.Credentials, addresses []string) error {
	cluster.Authenticator, cluster.HostDialer = nobody{}, hosts{within: introductionTimeout}
	if credentials == nil {
		return nil
	}
	cluster.ConnectTimeout = introductionTimeout
	if credentials.Password != "" {
		cluster.Authenticator = gocql.PasswordAuthenticator{Username: cmp.Or(credentials.User, defaultUser), Password: credentials.Password}
	}
	if credentials.TLS == nil {
		return nil
	}
	var names []string
	for _, address := range addresses {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return fmt.Errorf("cassandra: address %q: %w", address, err)
		}
		names = append(names, host)
	}
	cluster.HostDialer = hosts{clientTLS(credentials.TLS, names), introductionTimeout}
	return nil
}

// nobody answers members that ask for a password: without it gocql's error is a text alone.
type nobody struct{}

func (nobody) Challenge([]byte) ([]byte, gocql.Authenticator, error) { return nil, nil, errNoPassword }
func (nobody) Success([]byte) error                                  { return nil }

// clientTLS is what connections are encrypted with. Members tell each other's addresses, and
// certificates have names: a server is believed whose certificate is good for one of the hosts that
// the client was told.
func clientTLS(base *tls.Config, hosts []string) *tls.Config {
	config := base.Clone()
	// What Go checks by itself is the address, so all of it is done here.
	config.InsecureSkipVerify = true
	config.VerifyConnection = func(state tls.ConnectionState) error {
		if err := verify(state.PeerCertificates, base.RootCAs, hosts); err != nil {
			return &tls.CertificateVerificationError{UnverifiedCertificates: state.PeerCertificates, Err: err}
		}
		return nil
	}
	return config
}

func verify(chain []*x509.Certificate, roots *x509.CertPool, hosts []string) error {
	if len(chain) == 0 {
		return errors.New("the server has no certificate")
	}
	if err := verifyHost(chain[0], hosts); err != nil {
		return err
	}
	options := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool()}
	for _, certificate := range chain[1:] {
		options.Intermediates.AddCert(certificate)
	}
	_, err := chain[0].Verify(options)
	return err
}

func verifyHost(certificate *x509.Certificate, hosts []string) error {
	err := errors.New("no host is named that the certificate could be good for")
	for _, host := range hosts {
		if err = certificate.VerifyHostname(host); err == nil {
			return nil
		}
	}
	return err
}
