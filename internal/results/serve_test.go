package results

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// writeCertificate makes a self-signed certificate for 127.0.0.1 as tls.crt and tls.key.
func writeCertificate(t *testing.T, folder string) (ca []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	must(t, err)
	template := &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: "kvbench-results"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	ca = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	must(t, os.WriteFile(filepath.Join(folder, "tls.crt"), ca, 0o600))
	must(t, os.WriteFile(filepath.Join(folder, "tls.key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
	return ca
}

func TestTheCertificateFollowsItsFiles(t *testing.T) {
	folder := t.TempDir()
	cert, key := filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key")
	log := slog.New(slog.DiscardHandler)
	if _, err := LoadCertificateFiles(cert, key, log); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without files: %v", err)
	}
	writeCertificate(t, folder)
	files, err := LoadCertificateFiles(cert, key, log)
	must(t, err)
	serve := func() *tls.Certificate {
		served, err := files.Certificate(nil)
		must(t, err)
		return served
	}
	first := serve()
	if serve() != first {
		t.Error("unchanged files gave another certificate")
	}
	later := time.Now().Add(time.Minute)
	must(t, os.WriteFile(cert, []byte("half"), 0o600))
	must(t, os.Chtimes(cert, later, later))
	if serve() != first {
		t.Error("a broken file took the certificate away")
	}
	writeCertificate(t, folder)
	must(t, os.Chtimes(cert, later.Add(time.Minute), later.Add(time.Minute)))
	if serve() == first {
		t.Error("the new certificate is not served")
	}
}

// acceptFrom hands over what a listener accepts, until it is closed.
func acceptFrom(listener net.Listener) <-chan net.Conn {
	accepted := make(chan net.Conn)
	go func() {
		defer close(accepted)
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	return accepted
}

func TestConnectionsAreBounded(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	listener := LimitListener(inner, 1, 1)
	accepted := acceptFrom(listener)
	for range 2 {
		c, err := net.Dial("tcp", inner.Addr().String())
		must(t, err)
		defer c.Close()
	}
	first := <-accepted
	select {
	case <-accepted:
		t.Error("a second connection was accepted beside the first")
	case <-time.After(50 * time.Millisecond):
	}
	must(t, first.Close())
	second := <-accepted
	must(t, listener.Close())
	if _, ok := <-accepted; ok {
		t.Error("a closed listener accepts")
	}
	must(t, second.Close())
}

func TestOneAddressCantKeepTheOthersOut(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	listener := LimitListener(inner, 3, 2)
	defer func() { must(t, listener.Close()) }()
	accepted := acceptFrom(listener)
	dial := func(from string) net.Conn {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 5 * time.Second}
		c, err := dialer.DialContext(t.Context(), "tcp", inner.Addr().String())
		must(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	dial("127.0.0.1")
	first := <-accepted
	dial("127.0.0.1")
	<-accepted
	beyond := dial("127.0.0.1")
	must(t, beyond.SetReadDeadline(time.Now().Add(5*time.Second)))
	if _, err := beyond.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the third connection of one address: %v, want it closed", err)
	}
	dial("127.0.0.2")
	third := <-accepted
	if got := sourceOf(third); got != "127.0.0.2" {
		t.Errorf("accepted one from %s", got)
	}
	must(t, first.Close())
	must(t, third.Close())
	dial("127.0.0.1")
	<-accepted
}
