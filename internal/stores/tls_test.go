package stores

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/pki"
)

func TestARefusalOfTLSIsKnown(t *testing.T) {
	remote := &net.OpError{Op: "remote error", Err: errors.New("tls: bad certificate")}
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"the server's certificate": {fmt.Errorf("dial: %w", &tls.CertificateVerificationError{Err: errors.New("x")}), true},
		"plain text":               {fmt.Errorf("dial: %w", tls.RecordHeaderError{Msg: "no handshake"}), true},
		"the client's certificate": {fmt.Errorf("read: %w", remote), true},
		"an end":                   {io.EOF, false},
		"nothing":                  {nil, false},
	} {
		if got := IsTLSRefusal(c.err); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A pipe has no buffer: who says farewell there waits until the other side reads it.
func TestHangingUpSaysNoFarewell(t *testing.T) {
	authority, err := pki.NewAuthority("test", time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := authority.Issue("server", []string{"server.test"}, authority.End(), x509.ExtKeyUsageServerAuth)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.PEM())
	here, there := net.Pipe()
	server := tls.Server(there, &tls.Config{Certificates: []tls.Certificate{certificate}, SessionTicketsDisabled: true})
	shaken := make(chan error, 1)
	go func() { shaken <- server.Handshake() }()
	client := tls.Client(here, &tls.Config{RootCAs: roots, ServerName: "server.test"})
	if err := errors.Join(client.Handshake(), <-shaken); err != nil {
		t.Fatal(err)
	}
	go HangUp(client)
	if n, err := there.Read(make([]byte, 100)); n > 0 || !errors.Is(err, io.EOF) {
		t.Errorf("the other side reads %d bytes, %v", n, err)
	}
}
