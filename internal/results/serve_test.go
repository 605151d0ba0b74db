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
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/results/certificates"
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
	if _, err := certificates.Load(cert, key, log); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without files: %v", err)
	}
	writeCertificate(t, folder)
	files, err := certificates.Load(cert, key, log)
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
