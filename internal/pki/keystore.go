package pki

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"

	"software.sslmate.com/src/go-pkcs12"
)

// KeyStore is the certificate and its key in PKCS #12, which servers of Java read, under a password.
func (p Pair) KeyStore(password string) ([]byte, error) {
	pair, err := tls.X509KeyPair(p.Certificate, p.Key)
	if err != nil {
		return nil, fmt.Errorf("making a key store: %w", err)
	}
	store, err := pkcs12.Modern2023.Encode(pair.PrivateKey, pair.Leaf, nil, password)
	if err != nil {
		return nil, fmt.Errorf("making a key store: %w", err)
	}
	return store, nil
}

// TrustStore is a certificate of PEM in PKCS #12, under a password, as one that is believed: it, and
// what it signed if it is an authority's.
func TrustStore(certificate []byte, password string) ([]byte, error) {
	block, _ := pem.Decode(certificate)
	if block == nil {
		return nil, errors.New("making a trust store: there is no PEM")
	}
	parsed, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("making a trust store: %w", err)
	}
	store, err := pkcs12.Modern2023.EncodeTrustStore([]*x509.Certificate{parsed}, password)
	if err != nil {
		return nil, fmt.Errorf("making a trust store: %w", err)
	}
	return store, nil
}
